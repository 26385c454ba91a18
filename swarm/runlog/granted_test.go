package runlog_test

import (
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

func TestAGrantHoldsUntilItIsTakenBack(t *testing.T) {
	t.Parallel()
	of := runlog.New("t")
	var seq uint64
	say := func(p signals.Any) {
		seq++
		h := p.Head()
		h.Seq, h.Thread, h.Source, h.Time = seq, "t", bus.System, time.Unix(int64(seq), 0)
		of.Apply(signals.With(p, h))
	}
	asks := func(turn int) asking.Call {
		c := asking.New(asking.Call{Thread: "t", Agent: "ops", Turn: turn, Call: 1, Tool: "pay", Args: "{}", Spec: "s", Rule: "pay: ask", Why: "w"})
		say(signals.New(signals.Header{}, c))
		return c
	}
	open := func(c asking.Call) bool { q, _ := of.Questions.Of(c.ID); return q.Open }
	first := asks(1)
	say(signals.New(signals.Header{}, asking.Answer{ID: first.ID, Verdict: asking.Solve, By: "ada"}))
	if second := asks(2); open(first) || open(second) {
		t.Error("a call is asked that is allowed for the solve")
	}
	before := of.Questions.Answers()
	say(signals.New(signals.Header{}, asking.Answer{ID: first.ID, Verdict: asking.Revoke, By: "bob"}))
	third := asks(3)
	if open(first) || !open(third) {
		t.Errorf("open: the first call %v, one after the grant was taken back %v", open(first), open(third))
	}
	after := of.Questions.Answers()
	if len(after) != 1 || !after[0].Allows(first) || after[0].Allows(third) || !before[0].Allows(third) {
		t.Errorf("got %+v, before %+v", after, before)
	}
}
