package swarm_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

var (
	all     = flag.Bool("all", false, "break solves off behind four times as many records")
	oneSeed = flag.Uint64("seed", 0, "break only the solve with this seed off, behind every record")
)

// depends is all that what an agent says in a turn may depend on.
func depends(t *agents.Turn) string {
	var b strings.Builder
	list := func(what string, all []signals.Any) {
		fmt.Fprint(&b, what)
		for _, s := range all {
			fmt.Fprint(&b, " ", s.Head().Seq)
		}
	}
	fmt.Fprintln(&b, t.Thread, t.Agent, t.Round, t.Task, t.Effort, t.Seed, t.Time.UnixNano(), t.Most, t.State)
	list("new", t.New)
	list(" heard", t.Heard)
	list(" said", t.Said)
	for _, r := range t.Routed {
		fmt.Fprint(&b, " routed ", r.Action, r.Signal.Head().Seq)
	}
	for _, p := range t.Proposals {
		fmt.Fprint(&b, " ", p.ID(), p.Supporters())
		for _, v := range p.Votes {
			fmt.Fprint(&b, " ", v.Seq)
		}
	}
	return b.String()
}

// calls lets an agent make a recorded call about all that its turn was given,
// before it reacts.
func calls(a *agents.Agent, by journal.Caller, made *atomic.Int64) *agents.Agent {
	reacts := a.Reactor
	a.Reactor = agents.Func(func(ctx context.Context, t *agents.Turn) seq {
		k := journal.Key{Thread: t.Thread, Agent: t.Agent, Turn: t.Round, Request: journal.HashRequest([]byte(depends(t)))}
		_, err := by.Do(ctx, k, func(context.Context) ([]byte, error) {
			made.Add(1)
			return json.Marshal(depends(t))
		})
		if err != nil {
			return func(yield func(signals.Any, error) bool) { yield(nil, err) }
		}
		return reacts.React(ctx, t)
	})
	return a
}

// doubtful makes an agent ask a person in some turns, and say what is refused in others.
func doubtful(a *agents.Agent) *agents.Agent {
	reacts := a.Reactor
	a.Reactor = agents.Func(func(ctx context.Context, t *agents.Turn) seq {
		switch t.Rand().IntN(3) {
		case 0:
			return agents.Emit(signals.New(signals.Header{ID: t.NewID(), Confidence: 1}, signals.Escalation{Reason: "really?"}))
		case 1:
			finding := func() signals.Any {
				return signals.New(signals.Header{ID: t.NewID(), Confidence: 1}, signals.Discovery{Finding: "x"})
			}
			return agents.Emit(vote("a", yes, 7), finding(), vote("a", yes, 8), finding())
		}
		return reacts.React(ctx, t)
	})
	return a
}

// A breakable is a team of which everything is random, but repeats with the seed.
type breakable struct {
	seed uint64
	made atomic.Int64
}

func (b *breakable) open(t *testing.T, j journal.Store) *swarm.Swarm {
	t.Helper()
	recorder, err := journal.NewRecorder(j)
	if err != nil {
		t.Fatal(err)
	}
	var team []*agents.Agent
	for i, id := range []string{"a", "b", "c", "d", "e"} {
		a := wild(id)
		if id == "e" && b.seed%2 == 1 {
			a = doubtful(a)
		}
		a = calls(a, recorder, &b.made)
		if b.seed%3 == 1 {
			a.Attention = 1 + i%2
		}
		team = append(team, a)
	}
	o := swarm.Options{
		Agents: team, Limits: swarm.Limits{Rounds: 3 + int(b.seed%3)}, Seed: b.seed, Journal: j, Clock: swarm.StepClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 0),
		Same: func(context.Context, signals.Proposal, signals.Proposal) bool {
			return b.seed%8 > 5
		},
	}
	if b.seed%2 == 1 {
		o.Conflicts = settle.ByEscalation
	}
	var s *swarm.Swarm
	if b.seed%4 == 0 { // a publisher outside the swarm speaks while a round begins
		o.Effort = func(thread string) signals.Effort {
			out, err := s.Bus().Agent("out", bus.Permissions{})
			if err == nil {
				_, err = out.Publish(context.Background(), signals.New(signals.Header{Thread: thread, TTL: -1, Time: o.Clock()}, signals.Discovery{Finding: "x"}))
			}
			if err != nil {
				t.Error(err)
			}
			return signals.Fast
		}
	}
	s = newSwarm(t, o)
	return s
}

// goOn ends the solve of a journal, however far that is, and answers up to two of its
// questions, with some seeds: at once, or by what is left in the journal.
func (b *breakable) goOn(t *testing.T, j journal.Store) *solves.Result {
	t.Helper()
	for {
		r, left := b.live(t, j)
		if !left {
			return r
		}
		if err := solves.Leave(t.Context(), j, r.Thread, b.answer()); err != nil {
			t.Fatal(err)
		}
	}
}

func (b *breakable) answer() signals.Any {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return signals.With(answer("go on"), signals.Header{Source: "ceo", Confidence: 1, Time: at})
}

// live is a process in which the solve goes on. It ends when an answer is to be left.
func (b *breakable) live(t *testing.T, j journal.Store) (r *solves.Result, leave bool) {
	t.Helper()
	s := b.open(t, j)
	defer func() {
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	past, err := s.Results()
	if err != nil {
		t.Fatal(err)
	}
	if len(past) == 0 {
		r, err = s.Solve(t.Context(), signals.Task{Task: "x"})
	} else {
		r, err = s.Resume(t.Context(), past[0].Log, nil)
	}
	for err == nil && b.asks(r) {
		if b.seed%8 == 5 {
			return r, true
		}
		r, err = s.Resume(t.Context(), r.Log, b.answer())
	}
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, r)
	return r, false
}

// asks reports whether a solve asks a person who answers.
func (b *breakable) asks(r *solves.Result) bool {
	answered := 0
	for _, s := range r.Log {
		if s.Kind() == runlog.KindAnswered {
			answered++
		}
	}
	return r.Stop == runlog.StopEscalated && b.seed%8 != 1 && answered < 2
}

// cut returns a journal with the first n records of another.
func cut(t *testing.T, whole *journal.Memory, n uint64) *journal.Memory {
	t.Helper()
	j := new(journal.Memory)
	for r, err := range whole.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Seq <= n {
			if _, err := j.Append(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	return j
}

var leftID = regexp.MustCompile(`"id":"([^"]+)".*"source":"ceo"`)

// parts are the signals of a journal in order, and its calls in any. States are left
// out: a swarm saves one when it opens a long journal.
func parts(t *testing.T, j journal.Reader) (said, called []string) {
	t.Helper()
	var answers []string // ids that are random if they were left
	for r, err := range j.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Type == journal.TypeState {
			continue
		}
		if r.Type == journal.TypeResult {
			called = append(called, string(r.Head)+string(r.Body))
		} else {
			said = append(said, string(r.JSON()))
			if m := leftID.FindSubmatch(r.Head); m != nil {
				answers = append(answers, string(m[1]))
			}
		}
	}
	slices.Sort(called)
	for i, id := range answers {
		for at := range said {
			said[at] = strings.ReplaceAll(said[at], id, fmt.Sprint("answer ", i))
		}
	}
	return said, called
}

// A solve that is resumed from any prefix of its journal writes the same log as the whole
// one, byte for byte, and makes no other calls.
func TestASolveThatIsBrokenOffAnywhereEndsAsOneThatIsNot(t *testing.T) {
	stops := map[runlog.StopReason]int{}
	seeds, every := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, uint64(20)
	switch {
	case *oneSeed > 0:
		seeds, every = []uint64{*oneSeed}, 1
	case *all:
		every = 5
	}
	for _, seed := range seeds {
		whole := new(journal.Memory)
		b := &breakable{seed: seed}
		want := b.goOn(t, whole)
		stops[want.Stop]++
		said, called := parts(t, whole)
		for n := (seed - 1) % every; n <= whole.Last(); n += every { // each seed others
			b.made.Store(0)
			j := cut(t, whole, n)
			begins, before := parts(t, j)
			if n > 0 && len(begins) > 0 && strings.Contains(begins[len(begins)-1], `"source":"out"`) {
				continue // it would speak again
			}
			got := b.goOn(t, j)
			saidNow, calledNow := parts(t, j)
			if got.Stop != want.Stop || got.Answer != want.Answer || got.Detail != want.Detail {
				t.Errorf("seed %d, cut after record %d: %v %q %q, want %v %q %q", seed, n, got.Stop, got.Answer, got.Detail, want.Stop, want.Answer, want.Detail)
			}
			if diff := cmp.Diff(said, saidNow); diff != "" {
				t.Fatalf("seed %d, cut after record %d: the log differs (-whole +cut):\n%.3000s", seed, n, diff)
			}
			if diff := cmp.Diff(called, calledNow); diff != "" || int(b.made.Load()) != len(called)-len(before) {
				t.Fatalf("seed %d, cut after record %d: %d calls with %d of %d on record:\n%.2000s", seed, n, b.made.Load(), len(before), len(called), diff)
			}
			if _, err := replayed(t, j); err != nil {
				t.Errorf("seed %d, cut after record %d: %v", seed, n, err)
			}
		}
	}
	if *oneSeed == 0 && (len(stops) < 3 || stops[runlog.StopConsensus] == 0) {
		t.Errorf("the solves ended with %v, want more variety", stops)
	}
}

// A solve that is over goes on no further, however often it is asked to.
func TestFinishedSolveReturnsItsResult(t *testing.T) {
	for _, policy := range []settle.Policy{settle.ByDebate, settle.ByEscalation} {
		j := new(journal.Memory)
		o := swarm.Options{Agents: rivals(), Conflicts: policy, Journal: j, Seed: 3}
		s := newSwarm(t, o)
		want := solve(t, s)
		shutdown(t, s)
		last := j.Last()
		s = newSwarm(t, o)
		past, err := s.Results()
		if err != nil {
			t.Fatal(err)
		}
		for _, log := range [][]signals.Any{past[0].Log, want.Log} {
			r, err := s.Resume(t.Context(), log, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := []any{r.Stop, r.Detail, r.Answer, r.Decision.String(), r.Observed, r.Question, r.Rounds, len(r.Log)}
			if diff := cmp.Diff([]any{want.Stop, want.Detail, want.Answer, want.Decision.String(), want.Observed, want.Question, want.Rounds, len(want.Log)}, got); diff != "" {
				t.Errorf("%v (-was +is):\n%s", want.Stop, diff)
			}
		}
		if j.Last() != last {
			t.Errorf("%v: the journal grew from %d to %d records", want.Stop, last, j.Last())
		}
	}
}

// A solve that its caller cancelled can be resumed, and records its terms anew.
func TestASolveThatWasCancelledGoesOn(t *testing.T) {
	j := new(journal.Memory)
	team := rivals()[:2]
	ctx, cancel := context.WithCancel(t.Context())
	v := voter("v", map[string]signals.Stance{"a": yes, "b": no})
	votes := v.Reactor
	v.Reactor = agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
		cancel()
		return votes.React(ctx, turn)
	})
	o := swarm.Options{Agents: append(team, v), Journal: j, Seed: 3, Quorum: 1}
	s := newSwarm(t, o)
	r, err := s.Solve(ctx, signals.Task{Task: "which one?"})
	if err != nil || r.Stop != runlog.StopCancelled {
		t.Fatal(r.Stop, err)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := newSwarm(t, o)
	r, err = again.Resume(t.Context(), r.Log, nil)
	if err != nil || r.Stop != runlog.StopConsensus || r.Answer != "do a" {
		t.Errorf("%v, %v", r, err)
	}
	if err := again.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := replayed(t, j); err != nil {
		t.Error(err)
	}
}

// A turn that was late when the solve was broken off is taken again as it was:
// no round waits for it, and its signals count to its own round.
func TestALateTurnIsTakenAgainAsItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journal.Memory)
		var given []string
		open := func(takes time.Duration) *swarm.Swarm {
			slow := &agents.Agent{ID: "slow", Listens: []signals.Kind{signals.KindTask}, Reactor: agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
				given = append(given, depends(turn))
				select {
				case <-ctx.Done():
				case <-time.After(takes):
				}
				return agents.Emit(vote("a", yes, 1))
			})}
			s, err := swarm.New(swarm.Options{Agents: append([]*agents.Agent{slow}, rivals()[:1]...), Journal: j, Quorum: 1})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		s := open(time.Hour)
		ctx, kill := context.WithTimeout(t.Context(), time.Minute)
		defer kill()
		if _, err := s.Solve(ctx, signals.Task{Task: "which one?"}); err != nil {
			t.Fatal(err)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		var n uint64 // up to the end of the round
		for r, err := range j.Read(0) {
			if err == nil && strings.Contains(string(r.Head), `"source":"p"`) {
				n = r.Seq
			}
		}
		j = cut(t, j, n)
		s = open(time.Second)
		past, err := s.Results()
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		r, err := s.Resume(t.Context(), past[0].Log, nil)
		if err != nil || r.Stop != runlog.StopConsensus || r.Turns.Late != 0 || time.Since(begin) != time.Second {
			t.Errorf("%v after %v: %v", r, time.Since(begin), err)
		}
		want := []string{"system task:new", "system decision:terms", "system turn:late", "p proposal", "slow vote", "system decision:made", "system consensus:reached"}
		if diff := cmp.Diff(want, sources(r.Log)); diff != "" {
			t.Error(diff)
		}
		if len(given) != 2 || given[0] != given[1] {
			t.Errorf("it was given %q", given)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// After an error the turns that failed are taken again, not only the last one.
func TestTurnsThatFailedAreTakenAgainWhenASolveGoesOn(t *testing.T) {
	j := new(journal.Memory)
	down := true
	fails := func(a *agents.Agent) *agents.Agent {
		reacts := a.Reactor
		a.Reactor = agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
			if down {
				return func(yield func(signals.Any, error) bool) { yield(nil, errors.New("the server is down")) }
			}
			return reacts.React(ctx, turn)
		})
		return a
	}
	o := swarm.Options{
		Agents:  []*agents.Agent{fails(proposer("p", "a", "do a")), fails(proposer("q", "a2", "do a")), voter("v", map[string]signals.Stance{"a": yes})},
		Journal: j, Seed: 3, Quorum: 1,
	}
	s := newSwarm(t, o)
	r, err := s.Solve(t.Context(), signals.Task{Task: "which one?"})
	if err == nil || r.Stop != runlog.StopError || len(r.Failed) != 2 {
		t.Fatal(r, err)
	}
	shutdown(t, s)
	down = false
	r, err = newSwarm(t, o).Resume(t.Context(), r.Log, nil)
	if err != nil || r.Stop != runlog.StopConsensus || r.Turns.Taken != 3 || len(r.Failed) != 0 || len(r.Proposals[0].Same) != 1 {
		t.Fatalf("%v, %v", r, err)
	}
	if _, err := replayed(t, j); err != nil {
		t.Error(err)
	}
}
