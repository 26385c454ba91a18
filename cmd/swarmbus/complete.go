package main

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// choices are the values of flags that a shell completes, by their names; a file is completed, too,
// where the flag takes one.
var choices = map[string]func() []string{
	"team": teams.Names, "resume": runNames, "run": runNames,
	"mode":      func() []string { return spelled(teams.Modes()) },
	"conflicts": func() []string { return spelled(teams.ConflictPolicies()) },
	"kind":      kindNames,
	"allow":     func() []string { return []string{"once", "solve"} },
}

// arguments are the same for the words of how a command is called.
var arguments = map[string]func() []string{"RUN": runNames, "NAME|FILE": teams.Names}

// completes has shells complete what a command and those below it take.
func completes(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		completes(c)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if known := choices[f.Name]; known != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, completing(known)) // unless it has one
		}
	})
	words := strings.Fields(cmd.Use)
	if len(words) < 2 || cmd.ValidArgsFunction != nil {
		return
	}
	if known := arguments[strings.Trim(words[1], "[]")]; known != nil {
		cmd.ValidArgsFunction = func(of *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return completing(known)(of, args, begun)
		}
	}
}

func completing(known func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return slices.DeleteFunc(known(), func(s string) bool { return !strings.HasPrefix(s, begun) }), cobra.ShellCompDirectiveDefault
	}
}

// runNames returns the names of the runs in the default directory.
func runNames() (names []string) {
	dir, err := runs.Dir()
	if err != nil {
		return nil
	}
	paths, _ := runs.List(dir) // none can be completed
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), runs.Suffix))
	}
	return names
}

func kindNames() []string {
	codec, err := newCodec()
	if err != nil {
		return nil
	}
	return spelled(codec.Kinds())
}

func spelled[S ~string](all []S) (names []string) {
	for _, s := range all {
		names = append(names, string(s))
	}
	return names
}

// withoutPackage lets the completion of bash work where the package bash-completion is not there.
const withoutPackage = `if ! declare -F _get_comp_words_by_ref > /dev/null; then
    _get_comp_words_by_ref() {
        words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    }
fi
`

// completesBash puts that in front of the script for bash.
func completesBash(root *cobra.Command) {
	bash, _, err := root.Find([]string{"completion", "bash"})
	if err != nil {
		return
	}
	script := bash.RunE
	bash.RunE = func(cmd *cobra.Command, args []string) error {
		if _, err := io.WriteString(cmd.OutOrStdout(), withoutPackage); err != nil {
			return err
		}
		return script(cmd, args)
	}
}
