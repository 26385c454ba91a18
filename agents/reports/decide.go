package reports

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// The reasons why a decision is refused.
var (
	// ErrNoRequest is returned if the escalation does not exist, or is no
	// longer remembered.
	ErrNoRequest = errors.New("reports: no such escalation")
	// ErrDecided is returned if another decision was made first.
	ErrDecided = errors.New("reports: the escalation is decided")
	// ErrExpired is returned if the escalation has expired.
	ErrExpired = errors.New("reports: the escalation has expired")
	// ErrHuman is returned if a person has to decide.
	ErrHuman = errors.New("reports: a person has to decide")
)

// A Request is an accepted escalation with its state.
type Request struct {
	Seq    uint64
	ID     signals.ID // id of its signal
	Worker string
	Task   string
	Time   time.Time // when it was accepted
	Requested
	Decision *Decision // nil: none yet
}

func (r *Request) waits(now time.Time) bool { return r.Decision == nil && !now.After(r.Expires) }

// A Decision answers an escalation.
type Decision struct {
	Request signals.ID `json:"request"` // required; the id of the [Requested] signal
	By      string     `json:"by"`      // required; the decider
	Human   bool       `json:"human"`   // the decider is a person
	Verdict Verdict    `json:"verdict"` // required
	Option  string     `json:"option,omitempty"`
	Text    string     `json:"text,omitempty"`
}

// Check implements [signals.Checker].
func (d Decision) Check(l signals.Limits) error {
	return cmp.Or(l.Ref("request", d.Request), d.Verdict.known(), l.Name("by", d.By), l.Text("option", d.Option), l.Text("text", d.Text))
}

// Decide returns the signal that answers an escalation, to be published and
// applied; nil if the same decider has already made exactly this decision. It
// changes nothing. An approval has to be approved or refused, and the option has
// to be one that the worker offered.
//
// Its errors are [ErrNoRequest], [ErrDecided], [ErrExpired], [ErrHuman] and
// [*signals.FieldError], in this order.
func (g *Gate) Decide(d Decision, now time.Time) (signals.Any, error) {
	r, now := g.request(d.Request), later(g.now, now)
	switch {
	case r == nil:
		return nil, fmt.Errorf("%w: %s", ErrNoRequest, d.Request)
	case r.Decision != nil && *r.Decision == d:
		return nil, nil
	case r.Decision != nil:
		return nil, fmt.Errorf("%w: %s: %q decided first: %s", ErrDecided, d.Request, r.Decision.By, r.Decision.Verdict)
	case !r.waits(now):
		return nil, fmt.Errorf("%w: %s at %s", ErrExpired, d.Request, r.Expires.Format(time.RFC3339))
	case r.RequiresHuman && !d.Human:
		return nil, fmt.Errorf("%w: %s asks for one", ErrHuman, d.Request)
	}
	p := Decided{d, r.EscalationID}
	if err := cmp.Or(r.Allows(d.Verdict, d.Option), p.Check(g.limits())); err != nil {
		return nil, err
	}
	return signals.New(signals.Header{
		Source: d.By, Thread: r.Task, ReplyTo: r.ID, Confidence: 1, TTL: -1, Recipients: signals.To(r.Worker),
	}, p), nil
}

// Allows returns a [*signals.FieldError] for a verdict or an option that is no answer to
// the escalation.
func (e Escalation) Allows(v Verdict, option string) error {
	switch {
	case e.Kind == Approval && v == Answered:
		return problem("verdict", string(v), "an approval is approved or refused")
	case option != "" && !slices.Contains(e.Options, option):
		return problem("option", option, "not one of the escalation's")
	}
	return v.known()
}

// Request returns the escalation whose signal has that id, and whether the gate
// knows it.
func (g *Gate) Request(id signals.ID) (Request, bool) {
	if r := g.request(id); r != nil {
		return *r, true
	}
	return Request{}, false
}

func (g *Gate) request(id signals.ID) *Request {
	for _, l := range g.workers {
		if i := slices.IndexFunc(l.requests, func(r *Request) bool { return r.ID == id }); i >= 0 {
			return l.requests[i]
		}
	}
	return nil
}
