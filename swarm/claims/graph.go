package claims

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// maxText is how many bytes of a claim's text are kept.
const maxText = 240

// maxKnown is how many of the findings that a voter had made are linked with its vote.
const maxKnown = 8

// A Claim is a signal that claims something.
type Claim struct {
	ID       signals.ID
	Seq      uint64
	Kind     signals.Kind
	Source   string
	Text     string // what it says, cut at maxText bytes
	Proposal string // of a proposal or vote: the id under which it counts
	Level    signals.CausalLevel
}

// String returns the position of the claim in the log and its text.
func (c Claim) String() string { return fmt.Sprintf("[%d] %s: %s", c.Seq, c.Source, c.Text) }

// isFinding reports whether the claim is a discovery, a shared fact or a result of a tool.
func (c Claim) isFinding() bool {
	switch c.Kind {
	case signals.KindDiscovery, signals.KindMemory, signals.KindToolResult:
		return true
	}
	return false
}

// An UnknownError is the error for a signal that claims nothing in the thread.
type UnknownError struct{ ID signals.ID }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("claims: signal %q is no claim of the thread", e.ID)
}

// A Graph is the claims of a thread with their links. Make one with [Of]. It does not
// change, and may be used concurrently. The zero Graph has no claims.
type Graph struct {
	all     []Claim // in log order; the others say claims by their places here
	at      map[signals.ID]int
	answers map[signals.ID]int // the votes that proposals are which answer
	on      [][]int            // by claim: what it rests on
	knew    [][]int            // by claim: what the source of a vote that rests on nothing had found
	order   []int              // each after what it rests on
	against [][]int            // by claim: those that speak against it
	votes   [][]int            // by claim, if it is a proposal: votes for it
	gone    []bool             // taken back
	out     []bool             // taken back, or fallen with what is
}

// Of returns the claims of a log of one thread, with its proposals as they stand: those of
// a result. Neither is modified.
func Of(log []signals.Any, proposals []agents.Standing) *Graph {
	b := newBuilder(proposals)
	b.build(log)
	b.order = b.sorted()
	b.takeBack(log)
	return b.Graph
}

// takeBack finds what is taken back, and what falls with it.
func (g *Graph) takeBack(log []signals.Any) {
	back := signals.RetractionsOf(log)
	g.gone = make([]bool, len(g.all))
	for i, c := range g.all {
		held := c.Kind == signals.KindProposal && len(g.votes[i]) > 0 // a choice of others
		g.gone[i] = back.Has(c.ID) && !held
	}
	g.out, _ = g.fallen(func(int) bool { return false }, -1)
}

// Len returns the number of claims.
func (g *Graph) Len() int { return len(g.all) }

// All yields the claims in log order.
func (g *Graph) All() iter.Seq[Claim] { return slices.Values(g.all) }

// claim returns the claim of a signal. The claim of a proposal that is equal to an
// earlier one is that one's. The error is an [*UnknownError].
func (g *Graph) claim(id signals.ID) (Claim, error) {
	i, ok := g.at[id]
	if !ok {
		return Claim{}, &UnknownError{id}
	}
	return g.all[i], nil
}

// claimed returns what a signal claims; ok is false if it claims nothing. about is the signal
// that it is directed against.
func claimed(s signals.Any) (says, more string, about signals.ID, ok bool) {
	switch p := s.Body().(type) {
	case signals.Discovery:
		return p.Finding, p.Evidence, about, true
	case signals.Memory:
		return p.Content, "", about, true
	case signals.ToolResult:
		return p.ToolName + ": " + p.Result, "", about, !p.IsError
	case signals.Proposal:
		return p.Content, p.Reasoning, about, true
	case signals.Vote:
		return strings.TrimSuffix(p.Stance.String()+": "+p.Reasoning, ": "), p.Reasoning, about, p.Stance != signals.Abstain
	case signals.Doubt:
		return p.Concern, "", p.TargetSignalID, true
	case signals.Challenge:
		return p.CounterArgument, "", p.TargetSignalID, true
	}
	return "", "", about, false
}
