package main

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// odd does with each task what the task says, so that solves end in every way.
func odd(began chan<- bool, goOn <-chan bool) []*agents.Agent {
	propose := func(ctx context.Context, t *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
		switch t.Payload.Task {
		case "escalate":
			return agents.Emit(signals.New(signals.Header{}, signals.Escalation{Reason: "too dear\x1b[2J"}))
		case "hang":
			<-ctx.Done()
		case "wait":
			began <- true
			<-goOn
		}
		return agents.Emit(agents.Propose("a", t.Payload.Task, 1, ""))
	}
	vote := func(id string) *agents.Agent {
		return &agents.Agent{ID: id, CanEmit: []signals.Kind{signals.KindVote}, Reactor: agents.On(
			func(_ context.Context, p *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
				if p.Payload.Content == "reject" {
					return agents.Emit(agents.Disagree("a", 1, "no"))
				}
				return agents.Emit(agents.Agree("a", 1, "yes"))
			})}
	}
	broken := func(context.Context, *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
		return agents.Fail(errors.New("no model"))
	}
	return []*agents.Agent{
		{ID: "planner", Reactor: agents.On(propose), CanEmit: []signals.Kind{signals.KindProposal, signals.KindEscalation}},
		{ID: "broken", Reactor: agents.On(broken), CanEmit: []signals.Kind{signals.KindDiscovery}},
		vote("ada"), vote("bob"),
	}
}

// keepSolves makes a run of these tasks, one after the other.
func keepSolves(t *testing.T, path string, tasks ...string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { // whose deadline no busy machine meets
		j, err := journal.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := swarm.New(swarm.Options{Agents: odd(nil, nil), Seed: 1, Journal: j, Limits: swarm.Limits{Deadline: 100 * time.Millisecond}})
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			if _, err := s.Solve(t.Context(), signals.Task{Task: task}); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(s.Shutdown(t.Context()), j.Close()); err != nil {
			t.Fatal(err)
		}
	})
}

// says runs the program, which must end well, and returns what it prints.
func says(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run(t.Context(), args, &out, &errs); status != 0 {
		t.Fatalf("%q ends with %d: %s", args, status, errs.String())
	}
	return out.String(), errs.String()
}

func TestRunsSaysHowEachSolveEnded(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name+".journal") }
	for _, task := range []string{"decide", "reject", "escalate", "hang"} {
		keepSolves(t, at(task), task)
	}
	keepSolves(t, at("several"), "decide", "reject", "decide")
	listed, about := says(t, "runs", dir)
	for run, ending := range map[string]string{
		"decide": `reached "a": 2 of 2 agree, all of the weight; .*`, "reject": "rejected: more is against every proposal .*", "escalate": `escalated: too dear\\x1b\[2J; .*`,
		"hang": "deadline: no decision within 100ms; .*; deadlocked: no one has voted; the quorum is 2", "several": "3 threads: 2 decided, 1 rejected",
	} {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(at(run)) + ` .*:\d\d(Z|[+-]\d\d:\d\d)  ` + ending + `$`).MatchString(listed) {
			t.Errorf("of %s it does not say %s:\n%s", run, ending, listed)
		}
	}
	if !strings.HasPrefix(about, "5 runs in ") {
		t.Errorf("got %s", about)
	}
	if one, _ := says(t, "show", at("several")); !regexp.MustCompile(`^"solve-00000001-1" +reached "a": .*\n"solve-00000001-2" +rejected: .*\n`).MatchString(one) {
		t.Errorf("got %s", one)
	}
}

// TestAThreadIsShownAsInTheWholeJournal compares what the records of a thread tell with what all do.
func TestAThreadIsShownAsInTheWholeJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	keepSolves(t, path, "decide", "reject", "escalate", "hang", "decide")
	v, err := journal.NewView(path)
	if err != nil {
		t.Fatal(err)
	}
	threads, err := threadsOf(t.Context(), v)
	if err != nil || len(threads) != 5 {
		t.Fatal(threads, err)
	}
	for _, of := range threads {
		var shown [2]bytes.Buffer
		for i, from := range []journal.Reader{v, journal.OfThread(t.Context(), v, of.thread)} {
			if err := showThread(t.Context(), from, of.thread, transcript.JSON(&shown[i])); err != nil {
				t.Fatal(err)
			}
			r, err := resultIn(from, of.thread)
			if err == nil {
				err = transcript.JSON(&shown[i])(solves.Stopped{Result: r})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if shown[0].Len() == 0 || shown[0].String() != shown[1].String() {
			t.Errorf("%s: got\n%s\nwant\n%s", of.thread, shown[1].String(), shown[0].String())
		}
	}
}

func TestRunsDistinguishesRunningFromCutOff(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "j.journal")
	j, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	began, goOn := make(chan bool), make(chan bool)
	s, err := swarm.New(swarm.Options{Agents: odd(began, goOn), Seed: 1, Journal: j})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := s.Solve(context.Background(), signals.Task{Task: "wait"})
		ended <- err
	}()
	<-began
	for e, err := range solves.Watch(t.Context(), j, "solve-00000001-1") {
		if err != nil {
			t.Fatal(err)
		}
		if spoke, ok := e.(solves.Spoke); ok && spoke.Signal.Kind() == runlog.KindTerms {
			break
		}
	}
	if listed, _ := says(t, "runs", dir); !strings.Contains(listed, "; running\n") {
		t.Errorf("got %s", listed)
	}
	if err := j.Close(); err != nil { // as the end of its process would
		t.Fatal(err)
	}
	if listed, _ := says(t, "runs", dir); !strings.Contains(listed, "  cut off\n") {
		t.Errorf("got %s", listed)
	}
	close(goOn)
	if err := <-ended; err == nil {
		t.Error("the solve is kept in a journal that is closed")
	}
	_ = s.Shutdown(context.Background())
}

func TestShowPrintsVotesDecisionAndStop(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.journal")
	keepSolves(t, path, "decide")
	shown, _ := says(t, "show", path, "--width", "200")
	for _, want := range []string{
		`Task  decide\n      thread solve-00000001-1\n`,
		`Round 1  planner, broken, ada, bob\n`, `Round 2  broken, ada, bob\n`,
		` system +turn +1\.00  broken failed in round 1: no model\n`,
		`decision +1\.00  terms of swarm: by confidence-weighted \(the default\), threshold 0\.7, quorum 2, 2 may vote, swarm learns\n`,
		`decision .*  swarm: reached "a": 2 of 2 agree, all of the weight; 70 % is needed; .*\n`,
		`\nVotes\n +a █{30}  2 agree, 0 disagree, 0 abstain; support 2\.00 to 0\.00\n`,
		`\nDecision  confidence-weighted: reached "a": 2 of 2 agree, all of the weight; 70 % is needed; 2 voted, the quorum is 2; 9\d % that it is right, by the votes alone\n          decide\n`,
		`\nStop      consensus: broken failed in round 1: no model\n$`,
	} {
		if !regexp.MustCompile(want).MatchString(shown) {
			t.Errorf("it does not say %s:\n%s", want, shown)
		}
	}
	if strings.ContainsAny(shown, "{}") {
		t.Errorf("it shows JSON:\n%s", shown)
	}
}
