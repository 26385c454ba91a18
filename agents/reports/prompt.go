package reports

import (
	_ "embed" // the instructions are a file
	"fmt"
	"strings"
	"text/template"
)

//go:embed prompt.txt
var prompt string

var promptTemplate = template.Must(template.New("prompt").Parse(prompt))

// Instructions returns instructions for a model on how to report, with the
// limits of a gate that has these options. They belong in a system prompt,
// together with [Schema]; the caller has to add the turn, worker, task and
// model.
func Instructions(o *Options) (string, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return "", fmt.Errorf("reports: %w", err)
	}
	opts.Cooldown = max(opts.Cooldown, 0)
	var b strings.Builder
	err = promptTemplate.Execute(&b, struct {
		Options
		MaxList int
	}{opts, MaxList})
	return b.String(), err
}
