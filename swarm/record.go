package swarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// recordTerms records the terms of the solve's decision, which depend on what
// is known at this point of the log.
func (r *solve) recordTerms(ctx context.Context) {
	s := r.swarm
	if s.keeper == nil || r.over() || r.standing() {
		return
	}
	s.recording.Lock()
	defer s.recording.Unlock()
	unlearn := func() {}
	if r.opts.Ledger != nil {
		r.opts.Ledger.AsBefore(false)
		unlearn = r.opts.Ledger.Learn()
	}
	by, fresh := r.opts.decideBy()
	known := *r.count.Options() // includes voters that an answer added
	known.Reliabilities = fresh.Reliabilities
	err := r.count.By(by, &known)
	var open signals.Any
	if err == nil {
		terms := r.onRecord()
		if s.keeper.Starts() {
			terms.Starts, err = runlog.TextOf(r.opts.Ledger)
		}
		if err == nil {
			open, err = terms.Open(r.result.Thread)
		}
	}
	if err == nil {
		err = r.tryAnnounce(ctx, open)
	}
	if r.records.opened = err == nil; r.records.opened {
		s.keeper.Opened(r.result.Thread)
	} else {
		unlearn() // a replay of the log will not have learned here
		r.fail("the terms cannot be recorded", err)
	}
}

// standing adopts the terms with which an earlier process opened the solve, and what
// had been learned then. It reports whether there are any, and whether they are still
// those of the team.
func (r *solve) standing() bool {
	terms, opened := r.swarm.keeper.Standing(r.result.Thread), r.thread.Stage.Standing()
	if terms == nil || opened == nil || opened.Seq != terms.Seq {
		return false
	}
	ours, err := runlog.TextOf(r.onRecord())
	theirs, problem := runlog.TextOf(&terms.Terms)
	if ours != theirs || errors.Join(err, problem) != nil {
		return false
	}
	by, _ := r.thread.Votes.Stated()
	if terms.By != nil {
		by = terms.By
	}
	if err := r.count.By(by, terms.Options); err != nil {
		r.fail("the recorded terms cannot be applied", err)
	}
	r.records.opened = true
	return true
}

func (r *solve) onRecord() *runlog.Terms {
	by, options := r.thread.Votes.Stated()
	t := &runlog.Terms{
		Name: runlog.Learner, Rule: runlog.Rule, Strategy: by.Name(), Planned: r.thread.Calls.Plan() != nil, Same: true, Weights: r.count.Weights,
		Conflicts: r.opts.Conflicts, NoConflicts: !r.swarm.bus.FindsConflicts(),
	}
	t.Default = r.opts.Strategy == nil && !t.Planned
	t.SetOptions(options)
	if r.opts.Ledger != nil {
		t.Learner = runlog.Learner
		if learns := r.opts.Ledger.Options(); !reflect.DeepEqual(learns, reliability.Options{}) {
			t.Learns = &learns
		}
	}
	if known, err := consensus.Lookup(t.Strategy); !t.Default && !t.Planned {
		t.Own = err != nil || !reflect.DeepEqual(known, by)
	}
	return t
}

// record records the decision, and learns from its votes if the log accepted it. With
// a journal, it does nothing if there are no terms on record.
func (r *solve) record(ctx context.Context) {
	s := r.swarm
	s.recording.Lock()
	defer s.recording.Unlock()
	if s.keeper == nil {
		r.result.Observed = r.observe(r.opts.Ledger.Observe)
		r.made(r.result.Observed)
		return
	}
	if !r.records.opened {
		return
	}
	votes, name := r.thread.Votes.Independent(r.votes().Ballots()), r.observe(r.opts.Ledger.Check)
	err := r.recordDecision(ctx, name)
	if err == nil && name != "" {
		err = r.opts.Ledger.Observe(name, votes)
	}
	if err != nil {
		r.unfit("the decision cannot be recorded", err)
		return
	}
	if r.made(name); name != "" {
		s.keeper.Observed(r.result.Thread, name)
	}
	r.result.Observed = name
}

// made tells the ledger what a plan has chosen, in a decision that it holds.
func (r *solve) made(observed string) {
	if observed != "" && r.thread.Calls.Plan() != nil {
		_ = r.opts.Ledger.Made(observed, r.result.Decision.Strategy, cmp.Or(r.result.Decision.Choice, r.result.Decision.Leader()))
	}
}

func (r *solve) recordDecision(ctx context.Context, observed string) error {
	made := runlog.Decided{Name: runlog.Learner, Closed: r.votes().Closed(), Quorum: r.thread.Votes.Quorum(), Observed: observed, Stop: r.result.Stop, Detail: r.result.Detail, Open: r.result.Stop.GoesOn()}
	if !made.Stop.Chose() {
		made.Withheld = r.count.Withholds(r.result.Decision)
	}
	said, err := made.Record(r.result.Thread, r.result.Decision)
	if err != nil {
		return err
	}
	if err = r.tryAnnounce(ctx, said); err == nil && made.ClosesThread() {
		r.swarm.keeper.Closed(r.result.Thread)
	}
	return err
}

// keep waits until the journal has acknowledged the whole solve.
func (r *solve) keep(ctx context.Context) {
	s := r.swarm
	if s.keeper == nil || len(r.thread.Log) == 0 {
		return
	}
	last := max(r.records.last, r.thread.Log[len(r.thread.Log)-1].Head().Seq)
	err := s.keeper.Sync(ctx, last)
	if err != nil && ctx.Err() != nil {
		inTime, cancel := r.inTime(ctx)
		defer cancel()
		err = s.keeper.Sync(inTime, last)
	}
	if err != nil {
		r.unfit("the journal did not accept all of it", err)
		return
	}
	s.recording.Lock()
	defer s.recording.Unlock()
	_ = s.keeper.Save(ctx, false) // only the next start takes longer
}

// observe returns the first name for the votes that take accepts; "" if there is none,
// or the solve was canceled, ran out of budget or failed.
func (r *solve) observe(take func(name string, b consensus.Ballots) error) string {
	switch r.result.Stop {
	case runlog.StopCancelled, runlog.StopAbandoned, runlog.StopBudget, runlog.StopError:
		return ""
	}
	if r.opts.Ledger == nil {
		return ""
	}
	name, votes := r.result.Thread, r.thread.Votes.Independent(r.votes().Ballots())
	for n := 2; ; n++ {
		err := take(name, votes)
		if err == nil {
			return name
		}
		var field *consensus.FieldError
		if !errors.As(err, &field) || field.Field != "id" {
			return "" // not between the ledger's choices, or without votes
		}
		name = fmt.Sprintf("%s#%d", r.result.Thread, n) // there was an earlier run with the same seed
	}
}
