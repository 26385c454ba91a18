package swarm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// rivals is a team whose proposals cannot both stand, and that votes as
// somebody outside wants it.
func rivals() []*agents.Agent {
	team := []*agents.Agent{proposer("p", "a", "do a"), proposer("q", "b", "do b")}
	for _, id := range []string{"v1", "v2", "v3"} {
		follows := &agents.Agent{
			ID: id, Listens: []signals.Kind{signals.KindProposal}, CanEmit: []signals.Kind{signals.KindVote},
			Reactor: agents.Func(func(_ context.Context, t *agents.Turn) seq {
				for _, s := range t.New {
					if fact, ok := signals.As[signals.Memory](s); ok {
						return agents.Emit(agents.Agree(fact.Payload.Content, 0.9, fact.Source+" says so"))
					}
				}
				return agents.Emit()
			}),
		}
		team = append(team, follows)
	}
	return team
}

func answer(text string) signals.Any {
	return signals.New(signals.Header{Confidence: 1}, signals.Memory{Content: text, Category: "answer"})
}

// escalated is a solve that asks about two rivals.
func escalated(t *testing.T, s *swarm.Swarm) *solves.Result {
	t.Helper()
	r := solve(t, s)
	want := &solves.Question{Asks: "system", Reason: "proposals a and b cannot both stand", Context: "a, by p: do a\nb, by q: do b", Options: []string{"a", "b"}}
	if diff := cmp.Diff(want, r.Question); diff != "" || r.Stop != runlog.StopEscalated {
		t.Fatalf("%v: %s", r.Stop, diff)
	}
	return r
}

func TestEscalatedSolveGoesOnWithTheAnswerOfAPerson(t *testing.T) {
	s := newSwarm(t, swarm.Options{Agents: rivals(), Conflicts: settle.ByEscalation})
	before := escalated(t, s)
	r, err := s.Resume(t.Context(), before.Log, answer("b"))
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, r)
	if r.Stop != runlog.StopConsensus || r.Answer != "do b" || r.Thread != before.Thread || r.Rounds != 3 || r.Question != nil {
		t.Errorf("%v %q in %s after %d rounds", r.Stop, r.Answer, r.Thread, r.Rounds)
	}
	want := []string{"person memory:shared", "system conflict:resolved", "system escalation:answered", "v1 vote", "v2 vote", "v3 vote", "system consensus:reached"}
	if diff := cmp.Diff(want, sources(r.Log[len(before.Log):])); diff != "" {
		t.Error(diff)
	}
	if !cmp.Equal(sources(r.Log[:len(before.Log)]), sources(before.Log)) {
		t.Error("the log has another beginning")
	}
}

// Another process has nothing but what was written.
func TestSolveGoesOnInAnotherProcessFromWhatWasWritten(t *testing.T) {
	var written bytes.Buffer
	for _, s := range escalated(t, newSwarm(t, swarm.Options{Agents: rivals(), Conflicts: settle.ByEscalation, Seed: 7})).Log {
		if err := json.NewEncoder(&written).Encode(s); err != nil {
			t.Fatal(err)
		}
	}
	codec, err := runlog.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	var log []signals.Any
	for line := range bytes.Lines(written.Bytes()) {
		s, err := codec.Unmarshal(line)
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, s)
	}
	other := newSwarm(t, swarm.Options{Agents: rivals(), Conflicts: settle.ByEscalation, Seed: 7})
	r, err := other.Resume(t.Context(), log, answer("a"))
	if err != nil || r.Stop != runlog.StopConsensus || r.Answer != "do a" {
		t.Fatalf("%v, %v", r, err)
	}
	if last := r.Log[len(log)].Head().Seq; last <= log[len(log)-1].Head().Seq {
		t.Errorf("the log goes on at %d after %d", last, log[len(log)-1].Head().Seq)
	}
	if again, err := other.Replay(r.Log); err != nil || again.Choice != "a" {
		t.Errorf("replayed: %v, %v", again, err)
	}
}

func TestVoteOfAPersonCounts(t *testing.T) {
	team := []*agents.Agent{proposer("p", "a", "do a"), proposer("q", "b", "do b"), voter("v", map[string]signals.Stance{"b": yes, "a": no}), voter("w", map[string]signals.Stance{"a": yes})}
	s := newSwarm(t, swarm.Options{Agents: team, Conflicts: settle.ByEscalation, Quorum: 1})
	asked := solve(t, s)
	r, err := s.Resume(t.Context(), asked.Log, signals.With(agents.Agree("b", 1, "it is mine"), signals.Header{Source: "ceo", Confidence: 1}))
	if err == nil && (r.Stop != runlog.StopSettled || r.Answer != "do b" || r.Decision.Voters != 3) {
		t.Errorf("%v %q with %d voters: %s", r.Stop, r.Answer, r.Decision.Voters, r.Detail)
	}
	if err != nil {
		t.Error(err)
	}
	if q := asked.Log[len(asked.Log)-1]; r.Log[len(asked.Log)].Head().ReplyTo != q.Head().ID {
		t.Error("the answer does not reply to the question")
	}
}

func TestAgentsRememberWhatTheLogHasWhenASolveGoesOn(t *testing.T) {
	var n notes
	team := append(rivals(), n.agent("listener", func(*agents.Turn) seq {
		return agents.Emit(signals.New(signals.Header{}, signals.Discovery{Finding: "x"}))
	}))
	s := newSwarm(t, swarm.Options{Agents: team, Conflicts: settle.ByEscalation})
	before := escalated(t, s)
	if _, err := s.Resume(t.Context(), before.Log, answer("a")); err != nil {
		t.Fatal(err)
	}
	last := n.turns[before.Thread][2]
	got := [3][]string{sources(last.New), sources(last.Heard), sources(last.Said)}
	want := [3][]string{
		{"system escalate", "person memory:shared", "system conflict:resolved"},
		{"system task:new", "p proposal", "q proposal", "system conflict"},
		{"listener discovery", "listener discovery"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLateAgentHearsItsInboxAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard [][]string
		slow := &agents.Agent{ID: "slow", Listens: []signals.Kind{signals.KindTask}, Reactor: agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
			heard = append(heard, sources(turn.New))
			if len(heard) == 1 {
				<-ctx.Done()
			}
			return agents.Emit()
		})}
		asks := reacts("asks", func(_ context.Context, turn *agents.Turn) seq {
			if turn.Round > 1 {
				return agents.Emit()
			}
			return agents.Emit(signals.New(signals.Header{}, signals.Escalation{Reason: "too dear"}))
		})
		s := newSwarm(t, swarm.Options{Agents: append(rivals(), asks, slow)})
		before := solve(t, s)
		if !slices.Contains(sources(before.Log), "system turn:late") {
			t.Fatal("nobody was late")
		}
		if _, err := s.Resume(t.Context(), before.Log, answer("a")); err != nil {
			t.Fatal(err)
		}
		want := [][]string{{"system task:new"}, {"system task:new", "person memory:shared"}}
		if diff := cmp.Diff(want, heard); diff != "" {
			t.Error(diff)
		}
	})
}

func TestLogThatNoSolveCanGoOnFromIsRefused(t *testing.T) {
	s := newSwarm(t, swarm.Options{Agents: rivals(), Conflicts: settle.ByEscalation})
	good := escalated(t, s).Log
	done, err := s.Resume(t.Context(), good, answer("a"))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := signals.With(good[1], signals.Header{Thread: "other", Seq: 99})
	for name, log := range map[string][]signals.Any{
		"empty": nil, "no task": good[1:], "another thread": append(slices.Clone(good), elsewhere),
		"out of order": append(slices.Clone(good), good[1]), "decided": done.Log,
	} {
		if r, err := s.Resume(t.Context(), log, answer("a")); !errors.Is(err, runlog.ErrLog) || r != nil {
			t.Errorf("%s: got %v, %v", name, r, err)
		}
	}
	for name, wrong := range map[string]signals.Any{
		"invalid": answer(""), "an agent's": signals.With(answer("a"), signals.Header{Source: "v1"}),
		"the system's": signals.With(answer("a"), signals.Header{Source: "system"}),
	} {
		if r, err := s.Resume(t.Context(), good, wrong); !errors.Is(err, signals.ErrInvalid) || r != nil {
			t.Errorf("an answer that is %s: got %v, %v", name, r, err)
		}
	}
	behind := newSwarm(t, swarm.Options{Agents: []*agents.Agent{talker("t")}, Limits: swarm.Limits{Rounds: 1}})
	solve(t, behind)
	if _, err := behind.Resume(t.Context(), good, answer("a")); !errors.Is(err, runlog.ErrLog) {
		t.Errorf("a bus that is at another place: %v", err)
	}
}

func TestKindsOfASwarmAreItsOwn(t *testing.T) {
	for _, k := range []signals.Kind{runlog.KindLate, runlog.KindSame, conflict.KindResolved, signals.KindTask, signals.KindConsensus} {
		_, err := swarm.New(swarm.Options{Agents: []*agents.Agent{{ID: "a", CanEmit: []signals.Kind{k}, Reactor: talker("a").Reactor}}})
		if err == nil {
			t.Errorf("an agent may say %s, by New", k)
		}
	}
	liar := says("liar", signals.New(signals.Header{}, runlog.Late{Agent: "v", Round: 1}), signals.New(signals.Header{}, runlog.Same{ProposalID: "a", As: "b"}))
	liar.CanEmit = nil
	if r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{liar}})); r.Turns.Refused != 2 {
		t.Errorf("%d of its signals were refused, want 2", r.Turns.Refused)
	}
}

func TestSolvesBesideEachOtherOnOneBusDecideAsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := made(bus.New(&bus.Options{History: 32}))
		defer b.Close()
		results := make(chan *solves.Result)
		const n = 20
		for range n {
			go func() { // the same seed: the same names
				s := newSwarm(t, swarm.Options{Agents: rivals(), Bus: b, Seed: 7, Conflicts: settle.ByEscalation})
				results <- solve(t, s)
			}()
		}
		threads := map[string]bool{}
		for range n {
			r := <-results
			if r.Stop != runlog.StopEscalated || len(r.Conflicts) != 1 {
				t.Errorf("%v with %d conflicts, want escalated with one", r.Stop, len(r.Conflicts))
			}
			threads[r.Thread] = true
		}
		if len(threads) != n {
			t.Errorf("%d threads, want %d", len(threads), n)
		}
		time.Sleep(time.Second)
	})
}

func TestHealthyRunHasNoDeadLetters(t *testing.T) {
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		proposer("p", "a", "do a"), talker("t"), voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"a": yes}),
	}}))
	if r.Account.Dead() != 0 || r.Account.Filtered == 0 || r.Stop != runlog.StopConsensus {
		t.Errorf("%v with %+v", r.Stop, r.Account)
	}
}
