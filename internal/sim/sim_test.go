// Package sim_test runs whole solves under schedules of faults: a real swarm with its tools, a
// person's approvals, a memory and a journal, and agents that a script decides for. Each seed is a team and a
// schedule: at which of the boundaries that a solve crosses (a signal published, a record written,
// a model or a tool called, a fact kept) which fault falls. However it was stopped, the solve has to end as
// without faults.
//
// Faults of the past that are put back are found ([TestPlantedFaultsAreFound], -planted): an end that can be resumed and
// closes its thread; a tool whose panic ends the process; a call that began and is made again unasked; a decision
// that is returned and not in the journal; turns of an outage that are not taken again; a fact that a killed process
// had not told the memory; and an answer that takes the place of another. It does not
// find a round that begins before the journal has what it acts on: swarm's
// TestTurnActsOnJournaledSignalsOnly does. Of 10,000 schedules (-seeds 10000, on 29 November 2026, with the memory, a clock
// that jumps, and rivals) all ended as without faults. Sweeps are beside it: contexts that end at each look, and kills, outages,
// and somebody else who goes on with the solve, at each boundary.
package sim_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

var (
	seeds = flag.Int("seeds", 200, "number of schedules")
	all   = flag.Bool("all", false, "sweep all boundaries with each fault, of which a third is swept otherwise")
)

// A plan is a schedule for a team that settles conflicts by a policy.
type plan struct {
	policy settle.Policy
	faults schedule
}

// onceFailed found faults.
var onceFailed = []plan{
	{settle.ByDebate, schedule{10: outage, 58: closing, 81: twice}},
	{settle.ByEscalation, schedule{9: outage, 86: rival, 119: outage}},
}

// open starts a process on the journal, which has room again.
func (w *world) open() (*swarm.Swarm, error) {
	store := disk{w.disk, w}
	w.mu.Lock()
	w.now, w.ticks = map[fault]bool{}, 0
	w.mu.Unlock()
	by, err := journal.NewRecorder(store)
	if err != nil {
		return nil, err
	}
	s, err := swarm.New(swarm.Options{
		Agents: w.team(by), Conflicts: w.policy, Quorum: 5, Journal: store, Seed: 7, Limits: swarm.Limits{Deadline: 10 * time.Minute},
		Clock: w.time, Memory: mind{w},
	})
	if err != nil {
		return nil, err
	}
	s.Bus().Observe(func(e bus.Event) {
		if _, ok := e.(bus.Published); ok {
			w.step("publish")
		}
	})
	w.mu.Lock()
	w.swarm = s
	w.mu.Unlock()
	return s, nil
}

// shut ends a process.
func shut(s *swarm.Swarm) {
	ctx, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	_ = s.Shutdown(ctx) // what it could not write, the solve has said
}

// run drives a solve to its end, through processes as the faults end them.
func (w *world) run() (*solves.Result, error) {
	s, err := w.open()
	if err != nil {
		return nil, err
	}
	defer func() { shut(s); w.rivals.Wait() }()
	var before []signals.ID
	for range 40 {
		r, err := w.drive(s)
		w.note(r, err)
		if lost := w.lost(before); lost != nil {
			return r, lost
		}
		logged := w.logged()
		if logged != nil {
			before = idsOf(logged.Log)
		}
		switch {
		case r != nil && r.Stop == runlog.StopAsked && err == nil:
			if err := w.answer(s, r); err != nil {
				return r, err
			}
			continue
		case r != nil && !r.Stop.GoesOn() && r.Stop != runlog.StopEscalated:
			return r, w.settled(r)
		case r != nil && r.Stop == runlog.StopEscalated, w.take(cancel):
			w.take(outage)
			if s.Bus() != nil && !w.has(closing) && !w.has(full) && !w.has(kill) {
				continue
			}
		}
		if err := w.named(r, err); err != nil {
			return r, err
		}
		shut(s)
		if s, err = w.open(); err != nil {
			return nil, fmt.Errorf("the journal cannot be opened again: %w", err)
		}
	}
	return nil, errors.New("the solve does not end in 40 drives")
}

// note keeps how a drive ended, unless the one before ended so.
func (w *world) note(r *solves.Result, err error) {
	how := fmt.Sprint(err)
	if r != nil {
		how = fmt.Sprintf("stopped: %v (%s)", r.Stop, r.Detail)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.fallen); n == 0 || w.fallen[n-1] != how {
		w.fallen = append(w.fallen, how)
	}
}

// drive begins the solve, or goes on with it.
func (w *world) drive(s *swarm.Swarm) (*solves.Result, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	w.mu.Lock()
	w.stop = stop
	if w.looks != nil {
		ctx = &looks{ctx, stop, w.looks}
	}
	w.mu.Unlock()
	logged := w.logged()
	switch {
	case logged == nil:
		return s.Solve(ctx, signals.Task{Task: "which"})
	case logged.Stop == runlog.StopEscalated:
		r, err := s.Resume(ctx, logged.Log, signals.New(signals.Header{Confidence: 1, Source: "person"}, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1, Reasoning: "asked"}))
		if answered := (*runlog.AnsweredError)(nil); !errors.As(err, &answered) {
			return r, err
		} // by a process that ended before it recorded that
	}
	return s.Resume(ctx, logged.Log, nil)
}

// logged returns the solve as the journal has it; nil if it has not begun there.
func (w *world) logged() *solves.Result {
	all, err := solves.List(w.disk)
	if err != nil || len(all) == 0 {
		return nil
	}
	return all[0]
}

// answer allows the calls that the solve waits for.
func (w *world) answer(s *swarm.Swarm, r *solves.Result) error {
	for _, q := range r.Questions {
		if !q.Open {
			continue
		}
		err := s.Answer(context.Background(), q.Thread, asking.Answer{ID: q.ID, Verdict: asking.Once, By: "ada"})
		var answered *runlog.AnsweredError
		switch {
		case errors.As(err, &answered): // by a process that was killed before it returned
		case err != nil:
			return w.named(r, err)
		default:
			w.mu.Lock()
			w.allowed++
			w.mu.Unlock()
		}
		if !w.take(twice) {
			continue
		}
		if err := s.Answer(context.Background(), q.Thread, asking.Answer{ID: q.ID, Verdict: asking.Deny, By: "bob"}); !errors.As(err, &answered) {
			return fmt.Errorf("a second answer: %w", err)
		}
	}
	return nil
}

// named returns nil if an end names a fault that has fallen.
func (w *world) named(r *solves.Result, err error) error {
	detail := fmt.Sprint(err)
	if r != nil {
		detail += " " + r.Detail
	}
	if err != nil && strings.HasSuffix(err.Error(), " runs") && w.take(rival) {
		w.rivals.Wait() // it is driven by somebody else
		return nil
	}
	if w.has(outage) && !w.has(kill) && !w.has(full) && !w.has(closing) && !w.has(term) && !strings.Contains(detail, errDown.Error()) {
		return fmt.Errorf("an outage ends as %s", detail)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.fallen) == 0 && (w.looks == nil || w.looks.Load() > 0) {
		return fmt.Errorf("without a fault: %s", detail)
	}
	return nil
}

// lost returns an error if the journal no longer begins with what it had.
func (w *world) lost(before []signals.ID) error {
	logged := w.logged()
	if len(before) > 0 && (logged == nil || len(logged.Log) < len(before) || !slices.Equal(idsOf(logged.Log)[:len(before)], before)) {
		return fmt.Errorf("of %d acknowledged signals some are gone", len(before))
	}
	return nil
}

func idsOf(log []signals.Any) (all []signals.ID) {
	for _, s := range log {
		all = append(all, s.Head().ID)
	}
	return all
}

// settled returns what is wrong with a solve that is over.
func (w *world) settled(r *solves.Result) error {
	w.mu.Lock()
	charged, allowed := w.charged, w.allowed
	w.mu.Unlock()
	if charged > max(1, allowed) {
		return fmt.Errorf("charged %d times, allowed %d times", charged, allowed)
	}
	for _, q := range r.Questions {
		if q.Open {
			return fmt.Errorf("the question %s is left open", q.ID)
		}
	}
	logged := w.logged()
	if logged == nil || logged.Stop != r.Stop || logged.Answer != r.Answer {
		return fmt.Errorf("the journal does not end as the solve: %+v", logged)
	}
	seen := map[string]bool{}
	for _, s := range logged.Log {
		if _, ok := signals.As[signals.Proposal](s); !ok {
			continue
		}
		body, err := json.Marshal(s.Body())
		if by := s.Head().Source + string(body); err != nil || seen[by] {
			return fmt.Errorf("twice in the log: %s (%w)", by, err)
		} else {
			seen[by] = true
		}
	}
	known, err := w.pool.Recall(context.Background(), memory.Query{Text: finding, Quarantined: true})
	if found := slices.ContainsFunc(logged.Log, func(s signals.Any) bool { return s.Kind() == signals.KindDiscovery }); err != nil || found != (len(known) == 1) {
		return fmt.Errorf("found: %v, and the memory has %+v (%w)", found, known, err)
	}
	return w.replays()
}

// replays derives the decisions of the journal from it.
func (w *world) replays() error {
	codec, err := runlog.NewCodec()
	if err != nil {
		return err
	}
	snapshot, err := w.disk.Snapshot()
	if err != nil {
		return err
	}
	past, err := replay.New(snapshot)
	if err != nil {
		return err
	}
	defer past.Close()
	for s, err := range journal.Signals(w.disk, codec, snapshot.Through) {
		if err == nil {
			err = past.Next(s)
		}
		if err != nil {
			return fmt.Errorf("replayed: %w", err)
		}
	}
	return nil
}

// An end is how a solve ended, and after how many boundaries.
type end struct {
	result *solves.Result
	steps  int
	fallen []string
	err    error
}

func simulate(t *testing.T, policy settle.Policy, down time.Duration, faults schedule) (e end) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		w := newWorld(policy, down, faults)
		e.result, e.err = w.run()
		w.mu.Lock()
		defer w.mu.Unlock()
		e.steps, e.fallen = w.steps, w.fallen
	})
	return e
}

// wrong returns how an end differs from that of the solve without faults; "" if it does not.
func (e end) wrong(whole end) string {
	switch {
	case e.err != nil:
		return e.err.Error()
	case e.result.Stop != whole.result.Stop || e.result.Answer != whole.result.Answer:
		return fmt.Sprintf("%v %q (%s), without faults %v %q", e.result.Stop, e.result.Answer, e.result.Detail, whole.result.Stop, whole.result.Answer)
	}
	return ""
}

// shrunk leaves out the faults without which a schedule that failed so fails as well. Turns run side
// by side, so that a boundary is not crossed by the same turn each time: what does not fail again is
// returned as it was.
func shrunk(t *testing.T, policy settle.Policy, all schedule, failed, whole end) (schedule, end) {
	for again := true; again; {
		again = false
		for at := range all {
			less := maps.Clone(all)
			delete(less, at)
			if e := simulate(t, policy, time.Second, less); e.wrong(whole) != "" {
				all, failed, again = less, e, true
				break
			}
		}
	}
	return all, failed
}

func TestSolvesEndAsWithoutFaults(t *testing.T) {
	policies := []settle.Policy{settle.ByDebate, settle.ByMajority, settle.ByEscalation}
	var whole []end
	for _, policy := range policies {
		e := simulate(t, policy, 0, nil)
		if e.err != nil {
			t.Fatal(e.err)
		}
		t.Logf("%v: %v %q after %d boundaries", policy, e.result.Stop, e.result.Answer, e.steps)
		whole = append(whole, e)
	}
	all := slices.Clone(onceFailed)
	for seed := range *seeds {
		random := rand.New(rand.NewPCG(uint64(seed), 50))
		i := random.IntN(len(policies))
		planned := schedule{}
		for range 1 + random.IntN(4) {
			planned[1+random.IntN(whole[i].steps*5/4)] = faults[random.IntN(len(faults))]
		}
		all = append(all, plan{policies[i], planned})
	}
	failed := 0
	for n, of := range all {
		whole := whole[slices.Index(policies, of.policy)]
		e := simulate(t, of.policy, time.Second, of.faults)
		if e.wrong(whole) == "" {
			continue
		}
		least, e := shrunk(t, of.policy, of.faults, e, whole)
		t.Errorf("seed %d, %v, %v: %s\n\tfallen: %s", n-len(onceFailed), of.policy, least, e.wrong(whole), strings.Join(e.fallen, "; "))
		if failed++; failed == 10 {
			t.Fatal("more are left out")
		}
	}
}

// A process that is killed at whichever boundary, and two that go on with one solve at once: one of them is refused, or
// both go on as one.
func TestSolvesEndAsWithoutAKillOrARivalAtEachBoundary(t *testing.T) {
	for i, policy := range []settle.Policy{settle.ByDebate, settle.ByMajority, settle.ByEscalation} {
		whole := simulate(t, policy, 0, nil)
		for at := 1; at <= whole.steps; at++ {
			if !*all && at%3 != i {
				continue
			}
			for _, f := range []fault{kill, rival} {
				if e := simulate(t, policy, time.Second, schedule{at: f}); e.wrong(whole) != "" {
					t.Errorf("%v, %s at %d: %s\n\tfallen: %s", policy, f, at, e.wrong(whole), strings.Join(e.fallen, "; "))
				}
			}
		}
	}
}

// With a server that says to come back in a minute, the turns of an outage end after their round. They
// are taken again, too, when the solve goes on.
func TestLateTurnsOfAnOutageAreTakenAgain(t *testing.T) {
	for _, policy := range []settle.Policy{settle.ByDebate, settle.ByMajority} {
		whole := simulate(t, policy, 0, nil)
		for at := 1; at <= whole.steps; at++ {
			if e := simulate(t, policy, time.Minute, schedule{at: outage}); e.wrong(whole) != "" {
				t.Errorf("%v, an outage at %d: %s\n\tfallen: %s", policy, at, e.wrong(whole), strings.Join(e.fallen, "; "))
			}
		}
	}
}
