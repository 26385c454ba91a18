package runlog

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// KindMember is the kind of [Member].
const KindMember signals.Kind = "agent:member"

// Member says that an agent joins a solve, or leaves it. One that joins takes part from the next
// round on, and hears then what was said before. One that leaves takes no more turns, and its turn
// that runs is dropped; what it said stays in the log and its votes count.
type Member struct {
	Agent  string `json:"agent"`            // required
	Leaves bool   `json:"leaves,omitempty"` // false: it joins
	By     string `json:"by,omitempty"`     // who asked for it; "": a program
}

// Kind returns KindMember.
func (Member) Kind() signals.Kind { return KindMember }

// Check implements [signals.Checker].
func (m Member) Check(l signals.Limits) error {
	return cmp.Or(l.Name("agent", m.Agent), l.Text("by", m.By))
}

// String describes m in words.
func (m Member) String() string {
	what, by := "joins", ""
	if m.Leaves {
		what = "leaves"
	}
	if m.By != "" {
		by = ", as " + m.By + " asked"
	}
	return m.Agent + " " + what + by
}

// MemberOf returns the change that a signal of the system records.
func MemberOf(s signals.Any) (m Member, ok bool) {
	said, ok := signals.As[Member](s)
	if !ok || said.Source != bus.System {
		return m, false
	}
	return said.Payload, true
}

// members are the agents that joined a thread and that left it, in the order of the log.
type members struct{ joined, left []string }

func (all *members) apply(s signals.Any) {
	switch m, ok := MemberOf(s); {
	case ok && m.Leaves:
		all.left = append(all.left, m.Agent)
	case ok:
		all.joined = append(all.joined, m.Agent)
	}
}

// Joining returns the agents that joined and have not left, except those that are seated.
func (t *Thread) Joining(seated []string) (ids []string) {
	for _, id := range t.members.joined {
		if !slices.Contains(seated, id) && !slices.Contains(t.members.left, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Member returns the signal that records a change of the agents of a solve, whose log comes so far:
// t are those that it began with, and bench those that may join it. The error is [ErrLog] if the
// solve is over, or a [*signals.FieldError].
func (t Insiders) Member(log []signals.Any, thread string, bench Insiders, m Member) (signals.Any, error) {
	of := New(thread)
	for _, s := range log {
		of.Apply(s)
	}
	wrong := func(problem string) error {
		return &signals.FieldError{Kind: KindMember, Field: "agent", Value: m.Agent, Problem: problem}
	}
	took := slices.Contains(t, m.Agent) || slices.Contains(of.members.joined, m.Agent)
	switch {
	case of.Stage.Closed():
		return nil, fmt.Errorf("%w: the solve in thread %q is over, or there is none: nobody joins or leaves it", ErrLog, thread)
	case slices.Contains(of.members.left, m.Agent):
		return nil, wrong("has left the solve, and nobody does so twice or comes back")
	case m.Leaves && !took:
		return nil, wrong("takes no part in the solve")
	case !m.Leaves && took:
		return nil, wrong("takes part in the solve already")
	case !m.Leaves && !slices.Contains(bench, m.Agent):
		return nil, wrong("is no agent that may join: a team names those on its bench")
	case !m.Leaves && of.Calls.Plan() != nil:
		return nil, wrong("cannot join: the solve follows a plan, which names who answers; an agent joins a solve that deliberates")
	}
	said := signals.New(signals.Header{Source: bus.System, Thread: thread, Confidence: 1, TTL: Forever, Recipients: signals.To(bus.System)}, m)
	return said, signals.Validate(said)
}
