package runlog_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// factsFirst returns a talk that asks ann, bob and cid for facts and then for answers.
func factsFirst(t *testing.T) *talk {
	t.Helper()
	plan, err := json.Marshal(&mode.Plan{
		Mode: mode.FactsFirst, Reason: "facts differ", Calls: 12,
		Members: []mode.Member{{ID: "ann", Right: 0.5}, {ID: "bob", Right: 0.5}, {ID: "cid", Right: 0.5}},
	})
	if err != nil {
		t.Fatal(err)
	}
	l := newTalk(t)
	l.Apply(signals.New(l.next(bus.System, 0), runlog.Planned{Plan: runlog.Text(plan)}))
	return l
}

// next returns the header of the next signal of a source in a round.
func (l *talk) next(source string, round int32) signals.Header {
	seq := uint64(len(l.Log) + 1)
	return signals.Header{Seq: seq, ID: signals.MustID(fmt.Sprint("sig_", seq)), Thread: "t", Source: source, Round: round, Confidence: 1}
}

// begin begins a round that asks for something.
func (l *talk) begin(round int32, ask agents.Ask) *signals.Signal[runlog.Began] {
	began := signals.New(l.next(bus.System, round), runlog.Began{Turns: "[]", Ask: ask})
	l.Apply(began)
	return began
}

// find states a fact in a round.
func (l *talk) find(source string, round int32, finding string) signals.ID {
	h := l.next(source, round)
	l.Apply(signals.New(h, signals.Discovery{Finding: finding, Relevance: 1}))
	return h.ID
}

// shown returns the findings that the turns of a round are shown.
func (l *talk) shown(began *signals.Signal[runlog.Began]) (all []string) {
	news, _ := l.Shown(began, func(id string) bool { return slices.Contains([]string{"ann", "bob", "cid"}, id) })
	for _, s := range news {
		if f, ok := signals.As[signals.Discovery](s); ok {
			all = append(all, f.Payload.Finding)
		}
	}
	return all
}

// A round that begins again after an interruption is shown what it was the first time, but not
// what the operator has taken back since.
func TestRestartedRoundContinuesWithoutRetractedSignals(t *testing.T) {
	t.Parallel()
	l := factsFirst(t)
	l.begin(1, mode.Facts)
	before, own, wrong := l.find("ann", 1, "before"), l.find("ann", 1, "own"), l.find("bob", 1, "wrong")
	l.find("cid", 1, "right")
	guest := l.find("guest", 0, "from outside")
	l.takeBack("ann", before)
	began := l.begin(2, mode.Answer)
	if got, want := l.shown(began), []string{"own", "wrong", "right", "from outside"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	l.find("guest", 0, "later")
	l.takeBack("ann", own)
	if got, want := l.shown(began), []string{"own", "wrong", "right", "from outside"}; !slices.Equal(got, want) {
		t.Errorf("%q after its author took one back, want %q", got, want)
	}
	l.takeBack(bus.System, wrong)
	l.takeBack(bus.System, guest)
	if got, want := l.shown(began), []string{"own", "right"}; !slices.Equal(got, want) {
		t.Errorf("%q after the operator took two back, want %q", got, want)
	}
}

// A call whose facts are all taken back has stated none, so that reading it costs nothing.
func TestACallStatesAFactWhileOneOfItsFactsStands(t *testing.T) {
	t.Parallel()
	l := factsFirst(t)
	l.begin(1, mode.Facts)
	var facts []signals.ID
	for i := range 8 {
		facts = append(facts, l.find("ann", 1, fmt.Sprint("fact ", i)))
	}
	stated := func(want ...bool) {
		t.Helper()
		var got []bool
		for _, c := range l.Calls.All() {
			got = append(got, c.Stated)
		}
		if !slices.Equal(got, want) {
			t.Errorf("facts of ann, bob and cid: %v, want %v", got, want)
		}
	}
	stated(true, false, false)
	l.find("bob", 0, "in no turn")
	stated(true, false, false)
	for _, f := range facts[:7] {
		l.takeBack("ann", f)
		stated(true, false, false)
	}
	l.takeBack("ann", facts[7])
	stated(false, false, false)
	l.find("cid", 1, "late")
	stated(false, false, true)
}

// A swarm asks for the decision after each answer, and again after the conflict that follows it.
func TestAPlanDecidesOnceForAnAnswerAndTheConflictBehindIt(t *testing.T) {
	l := factsFirst(t)
	l.begin(1, mode.Facts)
	for range 2 {
		l.find("ann", 1, "a fact")
	}
	l.begin(2, mode.Answer)
	first := l.next("ann", 2)
	l.Apply(signals.New(first, signals.Proposal{ProposalID: "a", Content: "a"}))
	decided := l.Votes.Round().Decision()
	second := l.next("bob", 2)
	l.Apply(signals.New(second, signals.Proposal{ProposalID: "b", Content: "b"}))
	tied := l.Votes.Round().Decision()
	if len(decided.Leaders) != 1 || len(tied.Leaders) != 2 {
		t.Fatalf("one answer leads: %v, then two: %v", decided.Leaders, tied.Leaders)
	}
	conflict := signals.New(l.next(bus.System, 0), signals.Conflict{SignalA: first.ID, SignalB: second.ID, Description: "they differ"})
	apply := testing.AllocsPerRun(50, func() { l.Apply(conflict) })
	decide := testing.AllocsPerRun(50, func() { l.Apply(conflict); l.Votes.Round().Decision() })
	if decide > apply {
		t.Errorf("%v allocations for a conflict, and %v with the decision behind it", apply, decide)
	}
}
