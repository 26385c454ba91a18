package runlog

import (
	"github.com/swarmbus/swarmbus/internal/schema"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// A values is what proposals of a task with a schema may say. Nil: any text.
type values struct {
	of  *schema.Values // nil: nothing conforms, since the schema is none
	err error
}

// valuesOf returns what the content of proposals for a task may be.
func valuesOf(task signals.Task) *values {
	if task.Schema == "" {
		return nil
	}
	of, err := schema.New(task.Schema)
	return &values{of, err}
}

// Value returns the content of a proposal as the log has it: canonical JSON (RFC 8785) if the task has
// a schema, and as it is if not. The error is a [*signals.FieldError] that says how it does not conform.
func (v *Votes) Value(content string) (string, error) {
	if v.values == nil {
		return content, nil
	}
	canonical, err := "", v.values.err
	if err == nil {
		canonical, err = v.values.of.Value(content)
	}
	if err != nil {
		return "", &signals.FieldError{Kind: signals.KindProposal, Field: "content", Value: text.Cut(content, 80), Problem: "does not conform to the schema of the task: " + err.Error()}
	}
	return canonical, nil
}

// key returns what equal proposals have in common: their value, or else their words.
func (v *Votes) key(content string) string {
	if v.values == nil {
		return text.Plain(content)
	}
	value, _ := schema.Canonical(content) // which that of a proposal that counts has
	return value
}
