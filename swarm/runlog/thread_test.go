package runlog_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

var (
	ids     = []string{"a", "b", "c", "d"}
	texts   = []string{"do it", "Do it!", "leave it", "wait"}
	sources = []string{"ada", "bob", "cyd"}
)

// logs draws the interleaved logs of two threads.
func logs(t *rapid.T) (all []signals.Any) {
	proposed := map[string][]signals.ID{}
	for seq := range uint64(rapid.IntRange(1, 40).Draw(t, "signals")) {
		h := signals.Header{
			Seq: seq + 1, ID: signals.MustID(fmt.Sprint("sig_", seq+1)), Thread: rapid.SampledFrom([]string{"one", "two"}).Draw(t, "thread"),
			Source: rapid.SampledFrom(sources).Draw(t, "source"), Confidence: 0.5, Round: int32(seq / 5), Time: time.Unix(int64(seq), 0),
		}
		s := body(t, h, proposed[h.Thread])
		if s.Kind() == signals.KindProposal {
			proposed[h.Thread] = append(proposed[h.Thread], h.ID)
		}
		all = append(all, s)
	}
	return all
}

func body(t *rapid.T, h signals.Header, proposed []signals.ID) signals.Any {
	id := rapid.SampledFrom(ids).Draw(t, "proposal")
	system := h
	system.Source = bus.System
	kind := rapid.IntRange(0, 15).Draw(t, "kind")
	if kind >= 12 {
		return coordinating(t, h, kind)
	}
	if len(proposed) > 1 && kind >= 10 {
		a, b := rapid.SampledFrom(proposed).Draw(t, "a"), rapid.SampledFrom(proposed).Draw(t, "b")
		if kind == 10 {
			return signals.New(system, signals.Conflict{SignalA: a, SignalB: b})
		}
		return signals.New(system, conflict.Resolution{SignalA: a, SignalB: b})
	}
	switch kind {
	case 0, 1:
		return signals.New(h, signals.Proposal{ProposalID: id, Content: rapid.SampledFrom(texts).Draw(t, "content")})
	case 2, 3, 4:
		return signals.New(h, signals.Vote{ProposalID: id, Stance: rapid.SampledFrom([]signals.Stance{signals.Agree, signals.Disagree, signals.Abstain}).Draw(t, "stance"), Weight: 0.8})
	case 5:
		return signals.New(system, runlog.Same{ProposalID: id, As: rapid.SampledFrom(ids).Draw(t, "as")})
	case 6:
		return signals.New(h, agents.Passed{Reason: "nothing new"})
	case 7:
		return signals.New(h, signals.Escalation{Reason: "who decides?"})
	case 8:
		return signals.New(system, runlog.Answered{By: "person", AnswerID: h.ID})
	case 9:
		return signals.New(system, runlog.Decided{Name: "swarm", Decision: `{"outcome":"pending"}`, Stop: rapid.SampledFrom([]runlog.StopReason{runlog.StopDeadlock, runlog.StopError}).Draw(t, "stop")})
	default:
		return signals.New(system, runlog.Failed{Agent: h.Source, Round: int(h.Round), Reason: "no model"})
	}
}

// coordinating draws an entry of a layer, about any of the first signals.
func coordinating(t *rapid.T, h signals.Header, kind int) signals.Any {
	link := coordination.Link{Layer: "swarm"}
	about := signals.MustID(fmt.Sprint("sig_", rapid.IntRange(1, 20).Draw(t, "about")))
	switch kind {
	case 12:
		return signals.New(h, coordination.Step{Link: link, Step: rapid.IntRange(1, 3).Draw(t, "step")})
	case 13:
		state := rapid.SampledFrom([]coordination.State{coordination.Active, coordination.Resolved, coordination.Expired}).Draw(t, "state")
		return signals.New(h, coordination.Transition{Link: link, State: state, Signals: []signals.ID{about}})
	default:
		n := coordination.Note{
			Link: link, Class: coordination.EscalationInterrupt, Audience: coordination.Coordinator, Priority: coordination.Critical, Summary: "look",
		}
		if kind == 15 {
			n.Class, n.Priority, n.Replaces, n.ExpiresAtStep = coordination.HandoffReady, coordination.Normal, about, 2
		}
		h.Recipients = signals.To("ada")
		return coordination.New(h, n)
	}
}

var electorate = consensus.Options{Electorate: sources, Quorum: 2}

// state is what a thread says of itself.
func state(t *rapid.T, r *runlog.Thread) []string {
	if r.Votes.Err() != nil {
		t.Fatal(r.Votes.Err())
	}
	all := []string{
		fmt.Sprintf("%+v", r.Turns), fmt.Sprintf("%+v", r.Stage), fmt.Sprint(r.Conflicts.All(), r.Conflicts.Open(), r.Conflicts.Needless()),
		fmt.Sprint(len(r.Log), r.Stage.Over(), r.Stage.Closed(), r.Stage.Stopped()),
	}
	all = append(
		all, fmt.Sprint(r.Obstacles(), r.Alarms(), r.Effort(), r.Stepped(), slices.ContainsFunc(r.Coordination.For("ada"), runlog.IsHandoff)), fmt.Sprint(r.Coordination.For("ada"), r.Coordination.Step()),
	)
	for _, s := range r.Log {
		all = append(all, fmt.Sprint(s.Head().ID, !r.IsNews(s)))
	}
	for _, p := range r.Votes.Show("") {
		line := p.ID()
		for _, v := range p.Votes {
			line += fmt.Sprint(" ", v.Source, " ", v.Payload.Stance)
		}
		all = append(all, line)
	}
	d := r.Votes.Round().Decision()
	return append(all, d.String(), d.Reason(), fmt.Sprint(d.Voters, d.Tallies()))
}

func folded(t *rapid.T, name string, log []signals.Any, counted int) *runlog.Thread {
	r := runlog.New(name)
	for i, s := range log {
		if i == counted {
			count(t, r)
		}
		r.Apply(s)
	}
	if counted >= len(log) {
		count(t, r)
	}
	return r
}

func count(t *rapid.T, r *runlog.Thread) {
	if err := r.Votes.CountBy(consensus.Default(), &electorate, nil); err != nil {
		t.Fatal(err)
	}
}

// The fold of a prefix and then the rest equals the fold of the whole, wherever the
// votes began to be counted, however they were counted before, and whoever looked.
func TestFoldOfAPrefixAndTheRestIsTheFoldOfTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := logs(t)
		whole := state(t, folded(t, "one", log, len(log)))
		at := rapid.IntRange(0, len(log)).Draw(t, "counted after")
		if diff := cmp.Diff(whole, state(t, folded(t, "one", log, at))); diff != "" {
			t.Fatalf("counted after %d of %d signals:\n%s", at, len(log), diff)
		}
		looked := runlog.New("one")
		count(t, looked)
		for _, s := range log {
			looked.Apply(s)
			state(t, looked)
		}
		if diff := cmp.Diff(whole, state(t, looked)); diff != "" {
			t.Fatalf("looked at after each of %d signals:\n%s", len(log), diff)
		}
		again := folded(t, "one", log, 0)
		round, err := again.Votes.CountedBy(consensus.Default(), &electorate, nil)
		if err != nil || round.Decision().String() != again.Votes.Round().Decision().String() {
			t.Fatalf("counted anew: %v, %v; want %v", round.Decision(), err, again.Votes.Round().Decision())
		}
	})
}

func TestAThreadDoesNotSeeAnothersSignals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := logs(t)
		var own []signals.Any
		for _, s := range log {
			if s.Head().Thread == "one" {
				own = append(own, s)
			}
		}
		if diff := cmp.Diff(state(t, folded(t, "one", own, 0)), state(t, folded(t, "one", log, 0))); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Two marks tell what was new between them.
func TestMarksDelimitNewSignals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := runlog.New("one")
		for _, s := range logs(t) {
			before := r.Mark()
			r.Apply(s)
			now := r.Mark()
			own := s.Head().Thread == "one"
			if (now.Log > before.Log) != own || !own && now != before {
				t.Fatalf("%v: %+v, then %+v", s.Head(), before, now)
			}
			if _, voted := s.Body().(signals.Vote); own && voted && now.Votes != before.Votes+1 {
				t.Fatalf("a vote changed %+v to %+v", before, now)
			}
			if failed, ok := s.Body().(runlog.Failed); own && ok && !cmp.Equal([]runlog.Failed{failed}, r.Turns.Failed[before.Failed:]) {
				t.Fatalf("failed %+v", r.Turns.Failed[before.Failed:])
			}
		}
	})
}
