package asking

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/internal/schema"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// An Answer is a person's answer to the question with that id.
type Answer struct {
	ID      string  `json:"id"` // required; that of the [Call]
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason,omitempty"` // shown to the agent if the call is denied; with Respond the result
	Args    string  `json:"args,omitempty"`   // with Edit, required: JSON, the bytes that the tool gets instead
	By      string  `json:"by,omitempty"`     // who answered
	Shown   string  `json:"shown,omitempty"`  // [Call.Shown] of what was answered

	From Answerer `json:"from,omitempty"` // what By is, by how they were known; "": a person, as the answer says
}

// An Answerer says what answers a question.
type Answerer string

// The answerers. What a rule answers has [ByExpiry] as its By.
const (
	Person  Answerer = "person"
	Agent   Answerer = "agent"   // of another program
	Program Answerer = "program" // that is no agent
)

// Answerers returns all of them.
func Answerers() []Answerer { return []Answerer{Person, Agent, Program} }

// A Verdict says what a person allows.
type Verdict string

// The verdicts.
const (
	Once    Verdict = "once"    // this call
	Solve   Verdict = "solve"   // this agent's calls of the tool as it is now, in this solve
	Deny    Verdict = "deny"    // not this call
	Edit    Verdict = "edit"    // this call with other arguments, which the agent is told
	Respond Verdict = "respond" // not this call: the person says what its result is

	// Revoke takes Solve back: the answer to the same question then holds for its call alone.
	Revoke Verdict = "revoke"
)

var verdicts = []Verdict{Once, Solve, Deny, Edit, Respond}

// about says of each verdict whether the call is made, whether its answer needs a reason, what an
// answer with it does, and what somebody who gives it says.
var about = map[Verdict]struct {
	makes, reason bool
	does, says    string
}{
	Once:    {makes: true, does: "allow this call", says: "allows it once"},
	Solve:   {makes: true, does: "allow this agent's calls of the tool in this solve", says: "allows it for the solve"},
	Deny:    {reason: true, does: "do not make it", says: "denies it"},
	Edit:    {makes: true, does: "make it with args instead", says: "allows it with the arguments "},
	Respond: {reason: true, does: "do not make it: reason is its result", says: "gives its result"},
	Revoke:  {says: "does not allow it for the solve any more"},
}

// Makes reports whether the call is made.
func (v Verdict) Makes() bool { return about[v].makes }

// Does says what an answer with the verdict does: "allow this call".
func (v Verdict) Does() string { return about[v].does }

// Verdicts returns those that a question about the call takes.
func (c Call) Verdicts() []Verdict {
	if c.ForSolve() {
		return verdicts
	}
	return []Verdict{Once, Deny, Respond}
}

// Takes returns a [*signals.FieldError] for an answer that the question does not take: one whose
// verdict it does not have, one that needs a reason and has none, arguments that do not fit the tool, or one to
// a question that reads otherwise. Nothing is used up by it.
func (c Call) Takes(a Answer) error {
	wrong := func(field, value, problem string) error {
		return &signals.FieldError{Kind: KindAnswered, Field: field, Value: text.Cut(value, 80), Problem: problem}
	}
	if err := a.Check(signals.Limits{}); err != nil {
		return err
	}
	switch {
	case !slices.Contains(c.Verdicts(), a.Verdict):
		return wrong("verdict", string(a.Verdict), "this call may have been made: it can be allowed once")
	case about[a.Verdict].reason && strings.TrimSpace(a.Reason) == "":
		return wrong("reason", "", "required to "+string(a.Verdict)+": the agent sees it")
	case a.Shown != "" && a.Shown != c.Shown():
		return wrong("shown", a.Shown, "not of the question as it is: read it again")
	case a.Verdict != Edit || c.Input == "":
		return nil
	}
	if err := schema.Check(json.RawMessage(c.Input), json.RawMessage(a.Args)); err != nil {
		return wrong("args", a.Args, "does not fit the tool: "+text.Cut(err.Error(), 500))
	}
	return nil
}

// Kind returns KindAnswered.
func (Answer) Kind() signals.Kind { return KindAnswered }

// Check implements [signals.Checker].
func (a Answer) Check(l signals.Limits) error {
	wrong := func(field, value, problem string) error {
		return &signals.FieldError{Kind: KindAnswered, Field: field, Value: text.Cut(value, 80), Problem: problem}
	}
	_, unclear := Show(a.Args)
	switch {
	case about[a.Verdict].says == "":
		return wrong("verdict", string(a.Verdict), fmt.Sprintf("not one of %q", verdicts))
	case a.Verdict != Edit && a.Args != "":
		return wrong("args", a.Args, "only edit has arguments")
	case a.Verdict == Edit && unclear != nil:
		return wrong("args", a.Args, unclear.Error())
	case a.From != "" && !slices.Contains(Answerers(), a.From):
		return wrong("from", string(a.From), fmt.Sprintf("not one of %q", Answerers()))
	case a.Verdict == Respond && a.Reason == "":
		return wrong("reason", "", "required to respond: it is the result")
	}
	return cmp.Or(l.Name("id", a.ID), l.Text("reason", a.Reason), l.Text("args", a.Args), l.Text("by", a.By), l.Text("shown", a.Shown))
}

// String describes a in words.
func (a Answer) String() string {
	what := about[a.Verdict].says
	if a.Verdict == Edit {
		what += excerpt(a.Args)
	}
	line := fmt.Sprintf("%s %s", a.Who(), what)
	if a.Reason != "" {
		line += ": " + excerpt(a.Reason)
	}
	return line
}

// Who returns who answers, in words: "ada", or "crew (an agent)".
func (a Answer) Who() string {
	who := cmp.Or(text.Printable(a.By), "a person")
	switch a.From {
	case Agent:
		return who + " (an agent)"
	case Program:
		return who + " (a program)"
	}
	return who
}

// An Answered is a call with the answer that counts.
type Answered struct {
	Call   Call      `json:"call"`
	Answer Answer    `json:"answer"`
	At     time.Time `json:"at,omitzero"` // when the log has it
}

// Allows reports whether the answer holds for a call.
func (a Answered) Allows(c Call) bool { return a.Answer.Verdict != Deny && a.decides(c) }

// decides reports whether the answer holds for a call: the same one, one that is allowed for
// the solve like it, or one that was denied under another rule.
func (a Answered) decides(c Call) bool {
	of := a.Call
	if of.Attempt != c.Attempt || of.Thread != c.Thread || of.Agent != c.Agent || of.Tool != c.Tool || of.Spec != "" && of.Spec != c.Spec {
		return false
	}
	ruled := of.Rule == c.Rule || of.Rule == "" // asked before questions had it
	if a.Answer.Verdict == Solve && c.ForSolve() {
		return ruled
	}
	return of.Turn == c.Turn && of.Call == c.Call && of.Args == c.Args && (ruled || !a.Answer.Verdict.Makes())
}

// Before returns the answer of [With] to another question about the same place in a turn: one that
// was answered when something else was asked. Nil: there is none.
func Before(ctx context.Context, c Call) *Answered {
	all := In(ctx, c.Thread, c.Agent)
	for _, a := range slices.Backward(all) {
		if a.Call.Turn == c.Turn && a.Call.Call == c.Call && a.Call.Attempt == c.Attempt && a.Call.ID != c.ID {
			return &a
		}
	}
	return nil
}

// With returns a context in whose turns these answers count, and no others.
func With(ctx context.Context, all []Answered) context.Context {
	return context.WithValue(ctx, answersKey{}, all)
}

type answersKey struct{}

// In returns the answers of [With] for an agent in a thread.
func In(ctx context.Context, thread, agent string) []Answered {
	all, _ := ctx.Value(answersKey{}).([]Answered)
	return slices.DeleteFunc(slices.Clone(all), func(a Answered) bool { return a.Call.Thread != thread || a.Call.Agent != agent })
}

// Of returns the answer of [With] that holds for a call; nil: there is none. One to the call
// itself takes precedence over one for the solve.
func Of(ctx context.Context, c Call) *Answered {
	all := In(ctx, c.Thread, c.Agent)
	own := func(a Answered) bool {
		return a.decides(c) && (a.Call.Turn == c.Turn && a.Call.Call == c.Call && a.Call.Args == c.Args)
	}
	for _, holds := range []func(Answered) bool{own, func(a Answered) bool { return a.decides(c) }} {
		if i := slices.IndexFunc(all, holds); i >= 0 {
			return &all[i]
		}
	}
	return nil
}

// An Error ends a turn in which calls need a person's permission. The other calls of the
// same answer have been made.
type Error struct {
	Calls []Call // at least one
}

func (e *Error) Error() string { return "a person has to allow it: " + e.Asks() }

// Asks returns the questions on one line.
func (e *Error) Asks() string {
	var all []string
	for _, c := range e.Calls {
		all = append(all, c.String())
	}
	return strings.Join(all, "; ")
}

// Asked returns the calls that an error asks about, if it ends a turn because of them.
func Asked(err error) []Call {
	var asks *Error
	if !errors.As(err, &asks) {
		return nil
	}
	return asks.Calls
}
