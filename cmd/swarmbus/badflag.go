package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
)

// values say what the types of flags take.
var values = map[string]string{
	"int": "a whole number", "uint": "a whole number of at least 0", "uint64": "a whole number of at least 0", "float64": "a number such as 0.7",
	"duration": "a duration such as 90s or 10m", "bool": "true or false", "stringToString": "NAME=VALUE", "uintSlice": "numbers with commas between",
}

// badFlag says which flag is wrong, and what it takes.
func badFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	see := "; see " + cmd.CommandPath() + " --help"
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		err = fmt.Errorf("unknown flag -%s%s", unknown.GetSpecifiedShortnames(), see)
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		name := "--" + unknown.GetSpecifiedName()
		err = fmt.Errorf("unknown flag %s%s", name, cmp.Or(text.Suggest(name, names), see))
	case errors.As(err, &bare):
		f := bare.GetFlag()
		err = fmt.Errorf("--%s needs a value, %s%s", f.Name, cmp.Or(values[f.Value.Type()], "a text"), see)
	case errors.As(err, &invalid):
		if f := invalid.GetFlag(); values[f.Value.Type()] != "" {
			err = fmt.Errorf("--%s %q is not %s", f.Name, invalid.GetValue(), values[f.Value.Type()])
		}
	}
	return cli.Usage(err)
}
