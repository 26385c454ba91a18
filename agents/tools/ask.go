package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Question asks a person whether a call may be made.
type Question struct {
	Agent   string          `json:"agent"`
	Tool    string          `json:"tool"` // the full name
	Args    json.RawMessage `json:"args"`
	Why     string          `json:"why"`               // why the call needs a person's permission
	Changed *Spec           `json:"changed,omitempty"` // the tool as it is now, if it has changed
	For     string          `json:"for,omitempty"`     // what of the tool is asked about: a hash of its [Spec], or an attempt to call it
	Once    Place           `json:"once"`              // where an answer for this call is recorded
	Solve   Place           `json:"solve,omitzero"`    // where an answer for the solve is recorded; zero: there is none
}

// PlaceOf returns where an answer to the question is recorded.
func (q Question) PlaceOf(a Answer) Place {
	if a.Verdict == AllowSolve && q.Solve != (Place{}) {
		return q.Solve
	}
	return q.Once
}

// String returns the question on one line. What agents and servers say in it is quoted.
// Arguments of more than 2 KiB are shown by their beginning, length and SHA-256.
func (q Question) String() string {
	return fmt.Sprintf("%s wants to call %s with %s: %s", q.Agent, q.Tool, excerpt(string(q.Args)), q.Why)
}

// Detail returns the question on several lines: the agent, the tool, all of the
// arguments, why the call needs permission, and a changed description.
func (q Question) Detail() string {
	lines := []string{"agent: " + q.Agent, "tool: " + q.Tool, "arguments: " + quoted(string(q.Args)), "asked because: " + q.Why}
	if q.Changed != nil {
		lines = append(lines, "its description is now: "+quoted(q.Changed.Description), "its arguments are now: "+quoted(string(q.Changed.Input)))
	}
	return strings.Join(lines, "\n")
}

// An Answer is a person's answer to a [Question].
type Answer struct {
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason,omitempty"` // shown to the agent if the call is denied
	By      string  `json:"by,omitempty"`

	At time.Time `json:"at,omitzero"` // when it was given; zero: not recorded
}

// A Verdict says what a person allows. Its wire form is text.
type Verdict string

// The verdicts.
const (
	AllowOnce  Verdict = "allow once"      // this call
	AllowSolve Verdict = "allow for solve" // this agent's calls of the tool as it is now, in this solve
	Refuse     Verdict = "deny"            // this call
)

// Validate returns a [*signals.FieldError] for an unknown verdict.
func (a Answer) Validate() error {
	switch a.Verdict {
	case AllowOnce, AllowSolve, Refuse:
		return nil
	}
	return &signals.FieldError{Field: "verdict", Value: string(a.Verdict), Problem: fmt.Sprintf("not one of %q, %q and %q", AllowOnce, AllowSolve, Refuse)}
}

// An AskError ends a turn in which calls need a person's permission. The other calls of the
// same answer have been made.
type AskError struct {
	Questions []Question // at least one
}

func (e *AskError) Error() string { return "tools: a person has to allow it: " + e.Asks() }

// Asks returns the questions, for [agents.IsAsking].
func (e *AskError) Asks() string {
	var all []string
	for _, q := range e.Questions {
		all = append(all, q.String())
	}
	return strings.Join(all, "; ")
}

// WithAnswers returns a context in whose turns these answers count, and no others: none that a
// recorder has. So the process of an agent takes answers only from who asked for the turn.
func WithAnswers(ctx context.Context, all []AnsweredCall) context.Context {
	return context.WithValue(ctx, answersKey{}, all)
}

// AnswersIn returns the answers of [WithAnswers] for an agent in a thread.
func AnswersIn(ctx context.Context, thread, agent string) []AnsweredCall {
	all, _ := ctx.Value(answersKey{}).([]AnsweredCall)
	return slices.DeleteFunc(slices.Clone(all), func(a AnsweredCall) bool { return a.Place.Thread != thread || a.Place.Agent != agent })
}

type answersKey struct{}

// answered returns the answer at a place; nil: there is none.
func answered(ctx context.Context, by Recorder, at Place) (*Answer, error) {
	all, given := ctx.Value(answersKey{}).([]AnsweredCall)
	if !given {
		v, _, err := found[verdict](ctx, by, at)
		return v.Answered, err
	}
	if i := slices.IndexFunc(all, func(a AnsweredCall) bool { return a.Place == at }); i >= 0 {
		return &all[i].Answer, nil
	}
	return nil, nil
}
