package natstest_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

type seq = iter.Seq2[signals.Any, error]

var task = signals.Task{Task: "Which retry policy?"}

// team returns agents that agree on the first proposal in the second round. Each calls
// think once a turn.
func team(think func(ctx context.Context, agent string, round int) error) (all []*agents.Agent) {
	for _, id := range []string{"ann", "bob", "cyn"} {
		all = append(all, &agents.Agent{ID: id, Reactor: agents.Func(func(ctx context.Context, t *agents.Turn) seq {
			if think != nil {
				if err := think(ctx, id, t.Round); err != nil {
					return agents.Fail(err)
				}
			}
			if len(t.Proposals) == 0 && id == "ann" {
				return agents.Emit(signals.New(signals.Header{Confidence: 0.9}, signals.Proposal{ProposalID: "backoff", Content: "exponential backoff with jitter"}))
			}
			for _, s := range t.Proposals {
				if s.VoteOf(id) == nil {
					return agents.Emit(signals.New(signals.Header{Confidence: 0.9}, signals.Vote{ProposalID: s.ID(), Stance: signals.Agree, Weight: 0.9, Reasoning: "it fits"}))
				}
			}
			return agents.Emit()
		})})
	}
	return all
}

// solve drives the task, and returns the result.
func solve(ctx context.Context, l solving, all []*agents.Agent) (*solves.Result, error) {
	return l.solve(ctx, all, task)
}

// A solving is a log on which solves are driven.
type solving struct {
	*natsbus.Log
	past *machines.Records
}

func (l solving) solve(ctx context.Context, all []*agents.Agent, task signals.Task) (*solves.Result, error) {
	o := swarm.Options{Agents: all, Seed: 7, Limits: swarm.Limits{Deadline: time.Minute}}
	for e, err := range machines.Drive(ctx, l.Log, l.past, o, task) {
		if err != nil {
			return nil, err
		}
		if stopped, ok := e.(solves.Stopped); ok {
			return stopped.Result, nil
		}
	}
	return nil, errors.New("no result")
}

func joinSolving(t *testing.T, url, name string) solving {
	t.Helper()
	return joinSolvingAs(t, natsbus.Options{URL: url, Process: name})
}

func joinSolvingAs(t *testing.T, o natsbus.Options) solving {
	t.Helper()
	codec, err := machines.Codec()
	if err != nil {
		t.Fatal(err)
	}
	past := machines.NewRecords()
	if o.Reserved == nil {
		o.Reserved = machines.Reserved()
	}
	o.Codec, o.LeaseTTL, o.Digest, o.Compare = codec, natsbus.MinLease, past.Digest(), 50*time.Millisecond
	o.Tell.Alarm = func(d natsbus.Difference) { t.Error(d) }
	return solving{join(t, o), past}
}

func TestAgentsOfSeveralProcessesDecideAsInOne(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	for _, a := range team(nil) {
		l := joinSolving(t, url, a.ID)
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- machines.Serve(ctx, l.Log, a.ID, func() *agents.Agent { return a }) }()
		t.Cleanup(func() { cancel(); <-served })
	}
	driver := joinSolving(t, url, "driver")
	all := team(nil)
	if err := machines.Remote(driver.Log, all); err != nil {
		t.Fatal(err)
	}
	got, err := solve(soon(t), driver, all)
	if err != nil {
		t.Fatal(err)
	}
	s, err := swarm.New(swarm.Options{Agents: team(nil), Seed: 7, Limits: swarm.Limits{Deadline: time.Minute}, Journal: new(journal.Memory)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want, err := s.Solve(soon(t), task)
	if err != nil {
		t.Fatal(err)
	}
	if got.Stop != runlog.StopConsensus || got.Stop != want.Stop || got.Answer != want.Answer || got.Decision.Support != want.Decision.Support || got.Rounds != want.Rounds || said(got) != said(want) {
		t.Errorf("got %v %q in %d rounds:\n%s\nwant %v %q in %d:\n%s", got.Stop, got.Answer, got.Rounds, said(got), want.Stop, want.Answer, want.Rounds, said(want))
	}
}

// said is what was said in a solve, without what depends on the place and the time.
func said(r *solves.Result) string {
	var b strings.Builder
	for _, s := range r.Log {
		h := s.Head()
		switch body := s.Body().(type) {
		case signals.Proposal, signals.Vote, signals.Task, signals.Consensus, signals.Conflict:
			fmt.Fprintf(&b, "%s %q %d %v %v\n", s.Kind(), h.Source, h.Round, h.Confidence, body)
		default:
			fmt.Fprintf(&b, "%s %q %d\n", s.Kind(), h.Source, h.Round)
		}
	}
	return b.String()
}

// The driver is cut off in the middle of a turn. The next one goes on with the log, and
// does not make calls whose results are recorded.
func TestNextDriverGoesOnWithoutRepeatingARecordedCall(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	proxy := natstest.NewProxy(t, strings.TrimPrefix(url, "nats://"))
	var calls [2]atomic.Int64
	hangs, given := make(chan struct{}), make(chan struct{})
	think := func(l solving, driver int) func(context.Context, string, int) error {
		results, err := l.Results(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		return func(ctx context.Context, agent string, round int) error {
			if driver == 0 && agent == "cyn" && round == 2 {
				close(hangs)
				<-ctx.Done()
				close(given)
				return context.Cause(ctx)
			}
			_, err := results.Do(ctx, journal.Key{Thread: "t", Agent: agent, Turn: round}, func(context.Context) ([]byte, error) {
				calls[driver].Add(1)
				return []byte("thought"), nil
			})
			return err
		}
	}
	first := joinSolving(t, "nats://"+proxy.Addr(), "first")
	second := joinSolving(t, url, "second")
	ended := make(chan error, 1)
	go func() {
		r, err := solve(soon(t), first, team(think(first, 0)))
		if err == nil && r.Stop != runlog.StopConsensus {
			err = fmt.Errorf("it stopped with %v: %s", r.Stop, r.Detail)
		}
		ended <- err
	}()
	<-hangs
	for ctx := soon(t); calls[0].Load() < 4; pause() { // three in the first round, bob's in the second
		if ctx.Err() != nil {
			t.Fatal(calls[0].Load())
		}
	}
	time.Sleep(200 * time.Millisecond) // until their results are recorded
	waits, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if r, err := solve(waits, second, team(think(second, 1))); err == nil {
		t.Fatalf("two processes drive: %+v", r)
	}
	proxy.Cut()
	r, err := solve(soon(t), second, team(think(second, 1)))
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-given: // up, while it is still cut off
	case <-soon(t).Done():
		t.Error("the first driver's turn goes on without the lease")
	}
	if r.Stop != runlog.StopConsensus || r.Answer != "exponential backoff with jitter" {
		t.Errorf("%v: %q %s", r.Stop, r.Answer, r.Detail)
	}
	if n := calls[1].Load(); n != 1 {
		t.Errorf("%d calls by the second driver, want 1: that of the turn that hung", n)
	}
	proxy.Mend()
	if err := <-ended; err != nil || calls[0].Load() != 4 { // it sees what the second one decided
		t.Errorf("the first driver made %d calls: %v", calls[0].Load(), err)
	}
	// A third one finds it decided.
	if r, err := solve(soon(t), joinSolving(t, url, "third"), team(nil)); err != nil || r.Stop != runlog.StopConsensus {
		t.Errorf("%+v, %v", r, err)
	}
}

// A forgotten or misspelt process is the first mistake of a user: the driver says whom it waits
// for, and goes on when there is one.
func TestDriverReportsAgentsWithoutAProcess(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	serve := func(a *agents.Agent) {
		l := joinSolving(t, url, a.ID)
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- machines.Serve(ctx, l.Log, a.ID, func() *agents.Agent { return a }) }()
		t.Cleanup(func() { cancel(); <-served })
	}
	slow := team(func(ctx context.Context, agent string, round int) error {
		if agent == "ann" && round == 1 {
			time.Sleep(4 * time.Second) // it lives, and needs longer than anybody waits for a sign of life
		}
		return nil
	})
	serve(slow[0])
	serve(slow[1])
	warned := make(chan string, 64)
	o := natsbus.Options{URL: url, Process: "driver"}
	o.Tell.Warn = func(problem string) {
		if strings.Contains(problem, "no process answers") {
			warned <- problem
		}
	}
	driver, all := joinSolvingAs(t, o), team(nil)
	if err := machines.Remote(driver.Log, all); err != nil {
		t.Fatal(err)
	}
	solved := make(chan error, 1)
	go func() {
		r, err := solve(soon(t), driver, all)
		if err == nil && r.Stop != runlog.StopConsensus {
			err = fmt.Errorf("%v: %s", r.Stop, r.Detail)
		}
		solved <- err
	}()
	select {
	case problem := <-warned:
		if !strings.Contains(problem, "for turn:cyn; waiting") {
			t.Error(problem)
		}
	case <-soon(t).Done():
		t.Fatal("nothing is said of the agent that nobody serves")
	}
	serve(slow[2])
	if err := <-solved; err != nil {
		t.Error(err)
	}
	for len(warned) > 0 {
		t.Errorf("also: %s", <-warned)
	}
}
