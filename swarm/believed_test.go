package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// TestAStrategyIsNotTakenForItsNamesake replays what "voting" did not decide.
func TestAStrategyIsNotTakenForItsNamesake(t *testing.T) {
	by := consensus.Func("voting", func(b consensus.Ballots) consensus.Decision { return consensus.Bayesian{}.Decide(b) })
	o := swarm.Options{Agents: panel(), Journal: new(journal.Memory), Strategy: by}
	s := startOn(t, o)
	live := ask(t, s, 1)
	shutdown(t, s)
	s = startOn(t, o)
	past, err := s.Results()
	if err != nil || len(past) != 1 || past[0].Decision.Support != live.Decision.Support || len(past[0].Decision.Tallies()) != 2 {
		t.Error(past, err)
	}
	if _, err := replayed(t, o.Journal); !errors.Is(err, replay.ErrStrategy) {
		t.Errorf("got %v", err)
	}
}

func TestALibrarysStrategyIsKnownAgain(t *testing.T) {
	o := swarm.Options{Agents: panel(), Journal: new(journal.Memory), Strategy: consensus.Voting{}}
	s := startOn(t, o)
	ask(t, s, 1)
	shutdown(t, s)
	if _, err := replayed(t, o.Journal); err != nil {
		t.Error(err)
	}
}

// TestADifferenceKeepsNoSwarmFromStarting has logs that say something else than
// they derive to. They are the truth for who goes on with them.
func TestADifferenceKeepsNoSwarmFromStarting(t *testing.T) {
	lines := exported(t, journalled(t))
	for what, change := range map[string][2]string{
		"decision": {`"support":0.8333333333333334`, `"support":0.9`},
		"announce": {`"decision":"do `, `"decision":"don't `},
		"vote":     {`"stance":"agree"`, `"stance":"disagree"`},
		"conflict": {`"type":"conflict"`, `"type":"something:else"`},
		"observed": {`"observed":"solve-00000007-1",`, ``},
	} {
		t.Run(what, func(t *testing.T) {
			j, err := journal.Open(imported(t, lines, change[0], change[1]), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			if _, err := replayed(t, j); err == nil {
				t.Error("the change is not found")
			}
			for task := range 2 {
				s, err := openPanel(j)
				if err != nil {
					t.Fatal(err)
				}
				ask(t, s, task)
				past, err := s.Results()
				if err != nil || len(past) != 31+task {
					t.Errorf("%d solves, %v", len(past), err)
				} else if what == "decision" && past[0].Decision.Support != 0.9 {
					t.Errorf("support %v is not what the log says", past[0].Decision.Support)
				}
				shutdown(t, s)
			}
			retain(t, j, journal.Retention{Bytes: 1})
		})
	}
}

func TestPastAsksTheQuestionsOfTheSolve(t *testing.T) {
	escalates := func(id string) *agents.Agent {
		return &agents.Agent{ID: id, Reactor: agents.On(func(context.Context, *signals.Signal[signals.Task]) seq {
			return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Escalation{Reason: id + " asks", Context: "c"}))
		})}
	}
	o := swarm.Options{Agents: []*agents.Agent{escalates("x"), escalates("y")}, Journal: new(journal.Memory)}
	s := startOn(t, o)
	r := solve(t, s)
	past, err := s.Results()
	if err != nil || len(past) != 1 {
		t.Fatal(len(past), err)
	}
	if diff := cmp.Diff(r.Question, past[0].Question); diff != "" || r.Question.Asks != "x" {
		t.Errorf("the question (-live +past):\n%s", diff)
	}
}

// TestTimeGoesOnFromTheLog has a proposal that expired before the end.
func TestTimeGoesOnFromTheLog(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	o := swarm.Options{Agents: torn(), Journal: new(journal.Memory), Clock: func() time.Time { return now }}
	s := startOn(t, o)
	ask(t, s, 1)
	p, err := s.Bus().Agent("x", bus.Permissions{})
	if err == nil {
		_, err = p.Publish(t.Context(), signals.New(signals.Header{Thread: "chat", TTL: time.Minute}, signals.Proposal{ProposalID: "a", Content: "do a"}))
	}
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	ask(t, s, 1)
	shutdown(t, s)
	s = startOn(t, o)
	defer s.Close()
	for said := range s.Bus().History(bus.Filter{Threads: []string{"chat"}}) {
		t.Errorf("%v is alive again", said)
	}
}

// TestACancelledSolveSaysThatTheJournalDidNotTakeIt has a turn that breaks the
// journal and ends the solve.
func TestACancelledSolveSaysThatTheJournalDidNotTakeIt(t *testing.T) {
	j := new(journal.Memory)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	breaks := &agents.Agent{ID: "x", Reactor: agents.Func(func(context.Context, *agents.Turn) seq {
		err := j.Close() // before: the solve ends as soon as it is canceled
		cancel()
		return agents.Fail(err)
	})}
	s := startOn(t, swarm.Options{Agents: []*agents.Agent{breaks}, Journal: j})
	r, err := s.Solve(ctx, signals.Task{Task: "1"})
	if r.Stop != runlog.StopError || !errors.Is(err, journal.ErrClosed) {
		t.Errorf("got %v, %v", r.Stop, err)
	}
}

func TestAnOutcomeIsRecordedOnceTheJournalHasIt(t *testing.T) {
	j := new(journal.Memory)
	s := startOn(t, swarm.Options{Agents: torn(), Journal: j})
	r := ask(t, s, 1)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.RecordOutcome(r, "a"); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// TestAWatcherMayAppendToALog does so while the solve goes on.
func TestAWatcherMayAppendToALog(t *testing.T) {
	o := swarm.Options{Agents: torn(), Journal: new(journal.Memory), Conflicts: settle.ByEscalation, Quorum: 1}
	s := startOn(t, o)
	r := ask(t, s, 1)
	for range 5 { // whatever room a slice has left
		again, err := s.Resume(t.Context(), r.Log, signals.New(signals.Header{Confidence: 1}, signals.Memory{Content: "c", Category: "c"}))
		if err != nil {
			break
		}
		r = again
	}
	mine := propose("mine", "mine")
	var logs [][]signals.Any
	for e, err := range solves.Watch(t.Context(), o.Journal, r.Thread) {
		if err != nil {
			t.Fatal(err)
		}
		stopped, ok := e.(solves.Stopped)
		if !ok {
			continue
		}
		logs = append(logs, append(stopped.Result.Log, mine))
		if len(stopped.Result.Log) == len(r.Log) {
			break
		}
	}
	for _, log := range logs {
		if log[len(log)-1] != mine {
			t.Error("what was appended was overwritten")
		}
	}
	if len(logs) < 2 {
		t.Errorf("it stopped %d times", len(logs))
	}
}

// TestAStopThatTheVotesDoNotSayIsFound has a solve that was turned down, which
// nothing announces.
func TestAStopThatTheVotesDoNotSayIsFound(t *testing.T) {
	o := swarm.Options{Agents: []*agents.Agent{proposer("p", "a", "do a"), voter("v", map[string]signals.Stance{"a": no}), voter("w", map[string]signals.Stance{"a": no})}, Journal: new(journal.Memory)}
	s := startOn(t, o)
	if r := ask(t, s, 1); r.Stop != runlog.StopRejected {
		t.Fatalf("got %v", r.Stop)
	}
	shutdown(t, s)
	lines := exported(t, o.Journal)
	for _, stop := range []string{"consensus", "deadlock", "uncertified"} {
		var d *replay.Difference
		if _, err := replayedFile(t, imported(t, lines, `"stop":"rejected"`, `"stop":"`+stop+`"`)); !errors.As(err, &d) || d.What != "stop" {
			t.Errorf("%s: got %v", stop, err)
		}
	}
}

// TestAHeaderThatTheDecisionDoesNotHaveIsFound has a decision whose header was
// changed: it names another source, or a greater confidence.
func TestAHeaderThatTheDecisionDoesNotHaveIsFound(t *testing.T) {
	o := swarm.Options{Agents: []*agents.Agent{proposer("p", "a", "do a"), voter("v", map[string]signals.Stance{"a": yes})}, Journal: new(journal.Memory)}
	s := startOn(t, o)
	r := ask(t, s, 1)
	shutdown(t, s)
	lines := exported(t, o.Journal)
	all := strings.SplitAfter(lines, "\n")
	made := all[slices.IndexFunc(all, func(line string) bool { return strings.Contains(line, `"type":"decision:made"`) })]
	for name, change := range map[string][2]string{
		"source":     {`"source":"system"`, `"source":"v"`},
		"confidence": {fmt.Sprintf(`"confidence":%v,`, r.Decision.Confidence), `"confidence":0.999,`},
	} {
		var d *replay.Difference
		_, err := replayedFile(t, imported(t, lines, made, strings.Replace(made, change[0], change[1], 1)))
		if !errors.As(err, &d) || d.What != "header of the decision" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
