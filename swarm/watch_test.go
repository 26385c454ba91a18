package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// seen is what a watcher is shown, as text.
func seen(e solves.Event) string {
	switch e := e.(type) {
	case solves.Spoke:
		return fmt.Sprintf("%d %s by %s", e.Signal.Head().Seq, e.Signal.Kind(), e.Signal.Head().Source)
	case solves.RoundStarted:
		return fmt.Sprint("round ", e.Round, e.Turns)
	case solves.Weighed:
		return e.Decision.String()
	case solves.Stopped:
		return fmt.Sprintf("%v: %s, %q, %d rounds, %d signals, %v", e.Result.Stop, e.Result.Decision, e.Result.Answer, e.Result.Rounds, len(e.Result.Log), e.Result.Question)
	default:
		return fmt.Sprintf("%T", e)
	}
}

// watching watches in the background and sends what it is shown; the channel is
// closed at the end.
func watching(t *testing.T, j journal.Reader, thread string) <-chan string {
	shown := make(chan string, 1000)
	go func() {
		defer close(shown)
		for e, err := range solves.Watch(t.Context(), j, thread) {
			if err != nil {
				shown <- err.Error()
				return
			}
			shown <- seen(e)
		}
	}()
	return shown
}

func rest(shown <-chan string) (all []string) {
	for text := range shown {
		all = append(all, text)
	}
	return all
}

func TestAWatcherWhoComesLateSeesASolveBeyondTheAnswerAfterItsEnd(t *testing.T) {
	j := new(journal.Memory)
	s := newSwarm(t, swarm.Options{Agents: rivals(), Seed: 3, Journal: j})
	r := solve(t, s)
	if _, err := s.Resume(t.Context(), r.Log, answer("b")); err != nil || r.Stop != runlog.StopNoProgress {
		t.Fatal(r.Stop, err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	var stops []runlog.StopReason
	for e, err := range solves.Watch(t.Context(), j, r.Thread) {
		if err != nil {
			t.Fatal(err)
		}
		if stopped, ok := e.(solves.Stopped); ok {
			stops = append(stops, stopped.Result.Stop)
		}
	}
	if want := []runlog.StopReason{runlog.StopNoProgress, runlog.StopConsensus}; !slices.Equal(stops, want) {
		t.Errorf("got %v, want %v", stops, want)
	}
}

// TestAWatcherWhoComesLateSeesThePastAndGoesOnLive watches from before the
// first word, from the middle, and when all is over; in the process of the swarm
// and as another would.
func TestAWatcherWhoComesLateSeesThePastAndGoesOnLive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	asked, answer := make(chan bool), make(chan bool)
	slow := voter("slow", map[string]signals.Stance{"a": yes})
	slow.Reactor = agents.Each(func(_ context.Context, s signals.Any) seq {
		if s.Kind() != signals.KindProposal {
			return agents.Emit()
		}
		close(asked)
		<-answer
		return agents.Emit(agents.Agree("a", 1, ""))
	})
	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{proposer("p", "a", "do a"), slow}, Seed: 5, Journal: j})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	thread := "solve-00000005-1"
	early := watching(t, j, thread)
	solved := make(chan *solves.Result, 1)
	go func() {
		r, err := s.Solve(context.Background(), signals.Task{Task: "which one?"})
		if err != nil {
			t.Error(err)
		}
		solved <- r
	}()
	<-asked
	v, err := journal.NewView(path)
	if err != nil {
		t.Fatal(err)
	}
	inside, outside := watching(t, j, thread), watching(t, v, thread)
	first := []string{<-inside, <-outside} // they have begun
	close(answer)
	r := <-solved
	want := rest(early)
	for who, got := range map[string][]string{
		"late": append(first[:1:1], rest(inside)...), "late, elsewhere": append(first[1:], rest(outside)...),
		"when it is over": rest(watching(t, v, thread)),
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-from the beginning +got):\n%s", who, diff)
		}
	}
	said := 0
	for _, s := range r.Log {
		if !slices.Contains(want, seen(solves.Spoke{Signal: s})) {
			t.Errorf("%s is not shown", s.Kind())
		}
		said++
	}
	last := seen(solves.Stopped{Result: &solves.Result{
		Stop: r.Stop, Decision: r.Decision, Answer: r.Answer, Logged: solves.Logged{Rounds: r.Rounds, Log: r.Log},
	}})
	if n := len(want); said < 6 || want[0] != "solves.Started" || !slices.Contains(want, "round 2 [slow]") || want[n-1] != last {
		t.Errorf("got %q, want it to end with %s", want, last)
	}
}

// TestAWatcherSeesWhatComesOfAnAnswer watches an escalated solve.
func TestAWatcherSeesWhatComesOfAnAnswer(t *testing.T) {
	j := new(journal.Memory)
	s, err := swarm.New(swarm.Options{
		Agents: []*agents.Agent{proposer("p", "a", "do a"), proposer("q", "b", "do b"), voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"b": yes})},
		Seed:   3, Journal: j, Conflicts: settle.ByEscalation, Quorum: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := ask(t, s, 1)
	var stops []runlog.StopReason
	for e, err := range solves.Watch(t.Context(), j, r.Thread) {
		if err != nil {
			t.Fatal(err)
		}
		stopped, ok := e.(solves.Stopped)
		if !ok {
			continue
		}
		if stops = append(stops, stopped.Result.Stop); len(stops) > 1 {
			continue
		}
		if diff := cmp.Diff(r.Question, stopped.Result.Question); diff != "" || len(stopped.Result.Log) != len(r.Log) {
			t.Errorf("%s; %d signals, want %d", diff, len(stopped.Result.Log), len(r.Log))
		}
		if _, err := s.Resume(t.Context(), r.Log, vote("a", yes, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if want := []runlog.StopReason{runlog.StopEscalated, runlog.StopSettled}; !slices.Equal(stops, want) {
		t.Errorf("got %v, want %v", stops, want)
	}
}

func TestAWatcherSeesWhyASolveStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journal.Memory)
		s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{proposer("p", "a", "do a"), sleeper("q", time.Hour, true)}, Seed: 3, Journal: j, Limits: swarm.Limits{Deadline: 20 * time.Millisecond}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r := ask(t, s, 1)
		for e := range solves.Watch(t.Context(), j, r.Thread) {
			if stopped, ok := e.(solves.Stopped); ok && (stopped.Result.Stop != runlog.StopDeadline || stopped.Result.Detail == "") {
				t.Errorf("got %v, %q", stopped.Result.Stop, stopped.Result.Detail)
			}
		}
	})
}

func TestWatchingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for e, err := range solves.Watch(ctx, new(journal.Memory), "nobody") {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, %v", e, err)
		}
	}
}

// TestAWatcherWhoComesLateSeesASolveBeyondAStopFromWhichItWasResumed watches a solve that
// ran out of time, was resumed and decided.
func TestAWatcherWhoComesLateSeesASolveBeyondAStopFromWhichItWasResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journal.Memory)
		open := func(q *agents.Agent, deadline time.Duration) *swarm.Swarm {
			s, err := swarm.New(swarm.Options{
				Agents: []*agents.Agent{proposer("p", "a", "do a"), q}, Quorum: 1, Seed: 3, Journal: j, Limits: swarm.Limits{Deadline: deadline},
			})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		first := open(sleeper("q", time.Hour, true), 20*time.Millisecond)
		r := ask(t, first, 1)
		if err := first.Shutdown(t.Context()); err != nil || r.Stop != runlog.StopDeadline {
			t.Fatalf("%v, stopped by %v", err, r.Stop)
		}
		second := open(voter("q", map[string]signals.Stance{"a": yes}), time.Minute)
		if again, err := second.Resume(t.Context(), r.Log, nil); err != nil || again.Stop != runlog.StopConsensus {
			t.Fatalf("%v, %+v", err, again)
		}
		if err := second.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		var stops []runlog.StopReason
		for e, err := range solves.Watch(t.Context(), j, r.Thread) {
			if err != nil {
				t.Fatal(err)
			}
			if stopped, ok := e.(solves.Stopped); ok {
				stops = append(stops, stopped.Result.Stop)
			}
		}
		if want := []runlog.StopReason{runlog.StopDeadline, runlog.StopConsensus}; !slices.Equal(stops, want) {
			t.Errorf("got %v, want %v", stops, want)
		}
	})
}
