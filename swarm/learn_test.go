package swarm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// answerer is for the proposal that its answers name for the task, of a and b.
func answerer(id string, answer func(task int) string) *agents.Agent {
	return &agents.Agent{
		ID: id, Listens: []signals.Kind{signals.KindTask, signals.KindProposal}, CanEmit: []signals.Kind{signals.KindVote},
		Reactor: agents.On(func(_ context.Context, s *signals.Signal[signals.Task]) seq {
			var task int
			if _, err := fmt.Sscan(s.Payload.Task, &task); err != nil {
				return agents.Fail(err)
			}
			return agents.Emit(vote(answer(task), yes, 1))
		}),
	}
}

func truth(task int) string { return []string{"a", "b"}[task*7%3%2] }

func other(answer string) string {
	if answer == "a" {
		return "b"
	}
	return "a"
}

// panel has three who are right in nine of ten, in turns, and four who are
// right in six of ten and err together in the rest.
func panel() []*agents.Agent {
	team := []*agents.Agent{proposer("p", "a", "do a"), proposer("q", "b", "do b")}
	for i := range 3 {
		team = append(team, answerer(fmt.Sprint("good-", i), func(task int) string {
			if task%10 == i {
				return other(truth(task))
			}
			return truth(task)
		}))
	}
	for i := range 4 {
		team = append(team, answerer(fmt.Sprint("bad-", i), func(task int) string {
			if task%10 > 5 {
				return other(truth(task))
			}
			return truth(task)
		}))
	}
	return team
}

func ask(t *testing.T, s *swarm.Swarm, task int) *solves.Result {
	t.Helper()
	r, err := s.Solve(t.Context(), signals.Task{Task: fmt.Sprint(task)})
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, r)
	return r
}

func TestSwarmLearnsWhomToTrust(t *testing.T) {
	s := newSwarm(t, swarm.Options{Agents: panel()})
	const hard = 7 // the four who err together are wrong
	if r := ask(t, s, hard); r.Stop != runlog.StopDeadlock || r.Decision.Strategy != "confidence-weighted" {
		t.Errorf("at first: %v by %s, want deadlock by confidence-weighted", r.Stop, r.Decision.Strategy)
	}
	for task := range 60 {
		r := ask(t, s, task)
		if task%3 == 0 {
			if err := s.RecordOutcome(r, truth(task)); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := ask(t, s, hard)
	if r.Stop != runlog.StopConsensus || r.Decision.Choice != truth(hard) || r.Decision.Strategy != "default" {
		t.Errorf("after 60 solves: %v, %v by %s, want consensus on %s by what was learned", r.Stop, r.Decision, r.Decision.Strategy, truth(hard))
	}
	if n := s.Ledger().Len(); n != 62 {
		t.Errorf("the ledger holds %d decisions, want 62", n)
	}
}

func TestOutcomesAreAcceptedForSolvesInTheLedgerOnly(t *testing.T) {
	s := newSwarm(t, swarm.Options{Agents: panel()})
	r := ask(t, s, 1)
	if r.Observed == "" || s.RecordOutcome(r, truth(1)) != nil || s.RecordOutcome(r, "") != nil {
		t.Errorf("observed as %q, which cannot be resolved, or not again", r.Observed)
	}
	if err := s.RecordOutcome(&solves.Result{Thread: "x"}, "a"); !errors.Is(err, swarm.ErrNotObserved) {
		t.Errorf("a solve of nobody's: error %v", err)
	}
	var field *consensus.FieldError
	if err := s.RecordOutcome(&solves.Result{Observed: "x"}, "a"); !errors.As(err, &field) {
		t.Errorf("a solve of another swarm: error %v", err)
	}
	silent := newSwarm(t, swarm.Options{Agents: []*agents.Agent{proposer("p", "a", "do a")}})
	if r := ask(t, silent, 1); r.Observed != "" || !errors.Is(silent.RecordOutcome(r, "a"), swarm.ErrNotObserved) {
		t.Errorf("nobody voted, and it is observed as %q", r.Observed)
	}
	named := newSwarm(t, swarm.Options{Agents: panel(), Strategy: consensus.Voting{}})
	if r := ask(t, named, 1); named.Ledger() != nil || !errors.Is(named.RecordOutcome(r, "a"), swarm.ErrNotObserved) {
		t.Error("a swarm with a strategy and no ledger learns")
	}
}

// A long solve does not see what others teach the swarm while it runs.
func TestSolveDecidesByWhatWasKnownWhenItBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		team := panel()
		slow := answerer("slow", truth)
		inner := slow.Reactor
		slow.Reactor = agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
			if turn.Round == 1 && turn.Task.Task == "7" {
				time.Sleep(time.Hour)
			}
			return inner.React(ctx, turn)
		})
		s := newSwarm(t, swarm.Options{Agents: append(team, slow), Limits: swarm.Limits{Deadline: 5 * time.Hour}})
		long := make(chan *solves.Result)
		go func() { long <- ask(t, s, 7) }()
		synctest.Wait()
		for task := range 60 {
			if task == 7 {
				continue
			}
			if err := s.RecordOutcome(ask(t, s, task), truth(task)); err != nil {
				t.Error(err)
			}
		}
		if r := ask(t, s, 100); r.Decision.Strategy != "default" {
			t.Errorf("after 59 solves it decides by %s", r.Decision.Strategy)
		}
		if r := <-long; r.Decision.Strategy != "confidence-weighted" || len(r.Log) < 10 {
			t.Errorf("the first solve decides by %s, which was learned after it began", r.Decision.Strategy)
		}
	})
}

func TestLearningSwarmsWriteTheSameLogsByteForByte(t *testing.T) {
	write := func(l *reliability.Ledger) string {
		s := newSwarm(t, swarm.Options{
			Agents: panel(), Seed: 7, Ledger: l, Clock: swarm.StepClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Millisecond),
		})
		var log bytes.Buffer
		show := transcript.JSON(&log)
		for task := range 40 {
			for e, err := range s.Stream(t.Context(), signals.Task{Task: fmt.Sprint(task)}) {
				if err == nil {
					err = show(e)
				}
				if stopped, ok := e.(solves.Stopped); ok && err == nil {
					err = s.RecordOutcome(stopped.Result, truth(task))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		return log.String()
	}
	first := write(nil)
	if again := write(nil); again != first {
		t.Errorf("two runs differ:\n%s", cmp.Diff(strings.Split(first, "\n"), strings.Split(again, "\n")))
	}
	if !strings.Contains(first, `"strategy":"default"`) {
		t.Error("nothing was learned")
	}
	l := new(reliability.Ledger)
	write(l)
	saved, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var logs []string
	for range 2 {
		restored := new(reliability.Ledger)
		if err := json.Unmarshal(saved, restored); err != nil {
			t.Fatal(err)
		}
		logs = append(logs, write(restored))
		if restored.Len() != 80 {
			t.Errorf("the restored ledger holds %d decisions, want 80: the same seed gives the same threads", restored.Len())
		}
	}
	if logs[0] != logs[1] || logs[0] == first {
		t.Error("runs from a saved ledger differ, or do as one that knows nothing")
	}
}

// TestCancelledSolveTeachesNothing cancels one of task 7, which stays open until everybody has spoken.
func TestCancelledSolveTeachesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSwarm(t, swarm.Options{Agents: append(panel(), sleeper("slow", time.Hour, true))})
		for e := range s.Stream(t.Context(), signals.Task{Task: "7"}) {
			if w, ok := e.(solves.Weighed); ok && w.Decision.Voters > 0 {
				break
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		votes := 0
		for e, err := range s.Stream(ctx, signals.Task{Task: "7"}) {
			if err != nil {
				t.Fatal(err)
			}
			switch e := e.(type) {
			case solves.Weighed:
				if votes = e.Decision.Voters; votes == 3 {
					cancel()
				}
			case solves.Stopped:
				if e.Result.Stop != runlog.StopCancelled || e.Result.Observed != "" {
					t.Errorf("%v, observed as %q", e.Result.Stop, e.Result.Observed)
				}
			}
		}
		cancel()
		if n := s.Ledger().Len(); n != 0 || votes == 0 {
			t.Errorf("%d decisions of %d votes in the ledger, want none of some", n, votes)
		}
	})
}

func TestBrokenSolveTeachesNothing(t *testing.T) {
	b := made(bus.New(nil))
	breaks := &agents.Agent{
		ID: "breaks", Listens: []signals.Kind{signals.KindVote}, CanEmit: []signals.Kind{signals.KindDiscovery},
		Reactor: agents.Func(func(context.Context, *agents.Turn) seq {
			b.Close()
			return agents.Emit(signals.New(signals.Header{}, signals.Discovery{Finding: "x"}))
		}),
	}
	s := newSwarm(t, swarm.Options{Bus: b, Agents: []*agents.Agent{
		proposer("p", "a", "do a"), voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"a": no}), breaks,
	}})
	r, err := s.Solve(t.Context(), signals.Task{Task: "x"})
	if err == nil || r.Stop != runlog.StopError || r.Decision.Voters != 2 {
		t.Fatalf("%v with %d voters, want an error after two votes", r.Stop, r.Decision.Voters)
	}
	if r.Observed != "" || s.Ledger().Len() != 0 {
		t.Errorf("observed as %q", r.Observed)
	}
}

func TestNamedStrategyGainsFromALedger(t *testing.T) {
	s := newSwarm(t, swarm.Options{Agents: panel(), Strategy: consensus.Bayesian{}, Ledger: new(reliability.Ledger)})
	rate := func(r *solves.Result, agent string) float64 {
		known, _ := r.Decision.Ballots().Reliability(agent)
		return known.Sensitivity
	}
	if r := ask(t, s, 0); rate(r, "good-1") != rate(r, "bad-1") {
		t.Error("something is known before the first solve")
	}
	for task := range 60 {
		r := ask(t, s, task)
		if err := s.RecordOutcome(r, truth(task)); err != nil {
			t.Fatal(err)
		}
	}
	r := ask(t, s, 7)
	if rate(r, "good-1") < rate(r, "bad-1")+0.05 || r.Decision.Strategy != "bayesian" || r.Decision.Choice != truth(7) {
		t.Errorf("%v, good right in %v, bad in %v", r.Decision, rate(r, "good-1"), rate(r, "bad-1"))
	}
}

// taught returns a ledger that has seen the team agree on most of sixty
// tasks, of either kind.
func taught(t *testing.T, n int) *reliability.Ledger {
	t.Helper()
	l := new(reliability.Ledger)
	for task := range 60 {
		var cast []consensus.Vote
		for i := range n {
			v := consensus.Vote{Voter: fmt.Sprint("v", i), ProposalID: "a", Stance: consensus.Agree, Weight: 1}
			if task%2 == 0 != (task%10 == i) {
				v.Stance = consensus.Disagree
			}
			cast = append(cast, v)
		}
		b, err := consensus.NewBallots(nil, []string{"a"}, cast)
		if err == nil {
			err = l.Observe("", b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func TestDefaultOutcomesForTeamsOfThreeToTen(t *testing.T) {
	for n := 3; n <= 10; n++ {
		for _, learned := range []bool{false, true} {
			for against := 0; against <= n; against++ {
				l := new(reliability.Ledger)
				if learned {
					l = taught(t, n)
				}
				team := []*agents.Agent{proposer("p", "a", "do a")}
				for i := range n {
					stance := yes
					if i < against {
						stance = no
					}
					team = append(team, voter(fmt.Sprint("v", i), map[string]signals.Stance{"a": stance}))
				}
				r := solve(t, newSwarm(t, swarm.Options{Agents: team, Ledger: l}))
				want := []runlog.StopReason{runlog.StopDeadlock, runlog.StopUncertified}
				switch share := float64(n-against) / float64(n); {
				case share >= 0.7:
					want = []runlog.StopReason{runlog.StopConsensus}
				case share > 0.5 && learned:
					want = append(want, runlog.StopConsensus)
				case share < 0.5:
					want = []runlog.StopReason{runlog.StopRejected}
				}
				found := false
				for _, stop := range want {
					found = found || stop == r.Stop
				}
				if !found {
					t.Errorf("%d of %d against, learned %v: %v, %v, want one of %v", against, n, learned, r.Stop, r.Decision, want)
				}
			}
		}
	}
}

func TestGroupsOfAgentsReachTheStrategy(t *testing.T) {
	team := []*agents.Agent{proposer("p", "a", "do a"), proposer("q", "b", "do b")}
	for i, group := range []string{"clones", "clones", "clones", "clones", "", "", ""} {
		v := voter(fmt.Sprint("v", i), map[string]signals.Stance{"a": yes})
		if v.Group = group; group == "" {
			v = voter(v.ID, map[string]signals.Stance{"b": yes})
		}
		team = append(team, v)
	}
	for _, c := range []struct {
		s    consensus.Strategy
		lead string
	}{{consensus.Bayesian{}, "a"}, {consensus.Grouped{Within: 1}, "b"}} {
		r := solve(t, newSwarm(t, swarm.Options{Agents: team, Strategy: c.s}))
		if r.Decision.Leader() != c.lead {
			t.Errorf("%s: %v, want %s to lead", c.s.Name(), r.Decision, c.lead)
		}
		if g, ok := r.Decision.Ballots().Group("v0"); !ok || g != "clones" {
			t.Errorf("%s: v0 is in group %q", c.s.Name(), g)
		}
	}
}

func TestCopiesOfAModelDoNotDecideAgainstTheOthersByDefault(t *testing.T) {
	for group, decided := range map[string]bool{"": true, "one model": false} {
		team := []*agents.Agent{proposer("p", "a", "do a"), proposer("q", "b", "do b")}
		for i := range 4 {
			v := voter(fmt.Sprint("copy", i), map[string]signals.Stance{"a": yes})
			v.Group = group
			team = append(team, v)
		}
		team = append(team, voter("other", map[string]signals.Stance{"b": yes}))
		r := solve(t, newSwarm(t, swarm.Options{Agents: team}))
		if got := r.Decision.Choice != ""; got != decided {
			t.Errorf("in group %q: %v", group, r.Decision)
		}
	}
}

func TestLearnedDecisionOnOneProposalDoesNotWaitForImmaterialVotes(t *testing.T) {
	for quick, want := range map[int]time.Duration{9: 0, 1: time.Hour} {
		l := taught(t, 10)
		synctest.Test(t, func(t *testing.T) {
			team := []*agents.Agent{proposer("p", "a", "do a")}
			for i := range quick {
				team = append(team, voter(fmt.Sprint("v", i), map[string]signals.Stance{"a": yes}))
			}
			for i := range 10 - quick {
				late := voter(fmt.Sprint("v", quick+i), map[string]signals.Stance{"a": yes})
				team = append(team, hourLater(late))
			}
			begin := time.Now()
			r := solve(t, newSwarm(t, swarm.Options{Agents: team, Ledger: l, Limits: swarm.Limits{Deadline: 5 * time.Hour}}))
			if took := time.Since(begin); took != want || r.Stop != runlog.StopConsensus || r.Decision.Strategy != "default" {
				t.Errorf("%d of 10 at once: %v by %s after %v, want consensus after %v", quick, r.Stop, r.Decision.Strategy, took, want)
			}
		})
	}
}
