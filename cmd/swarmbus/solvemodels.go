package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/teams/providers"
)

// open returns the models by their names: those of the cassette, or real ones within
// their limits, whose answers are recorded in the run and on a tape, where there are
// such.
func (f *solveFlags) open(cmd *cobra.Command, run *aJournal) (ask func(name string) models.Model, err error) {
	if f.cassette != "" {
		return f.replay(cmd, run)
	}
	all, budget, err := f.models(nil)
	if err != nil {
		return nil, err
	}
	var tape *journal.Recorder
	if f.record != "" {
		if tape, err = f.tape(run); err != nil {
			return nil, err
		}
		f.calls = tape
		for name, m := range all {
			all[name] = cassette.Model(m, tape)
		}
	}
	if f.journal != "" {
		if err = f.begin(cmd, run); err != nil {
			return nil, err
		}
		run.record(budget)
		f.calls = both(run.recorder, tape)
		answersFrom(run.recorder, all)
	}
	return func(name string) models.Model { return all[name] }, nil
}

// answersFrom lets models answer from a run what they answered in it before.
func answersFrom(by journal.Caller, all map[string]models.Model) {
	for name, m := range all {
		all[name] = cassette.Answers(m, by)
	}
}

// begin opens the journal that was asked for, with the terms.
func (f *solveFlags) begin(cmd *cobra.Command, run *aJournal) (err error) {
	if err = f.keep(cmd, run); err == nil {
		run.recorder, err = recordTerms(run.store, &f.terms)
	}
	return err
}

// A chain is two records: what the first does not have comes from the second, and is
// recorded in both.
type chain struct{ first, second journal.Caller }

// Do implements [journal.Caller].
func (c chain) Do(ctx context.Context, k journal.Key, call func(context.Context) ([]byte, error)) ([]byte, error) {
	return c.first.Do(ctx, k, func(ctx context.Context) ([]byte, error) { return c.second.Do(ctx, k, call) })
}

// both returns the records of a run and of a tape, which may be nil.
func both(run journal.Caller, tape *journal.Recorder) journal.Caller {
	if tape == nil {
		return run
	}
	return chain{run, tape}
}

// replay returns the models of the cassette. What is played has a journal if it had one. A
// cassette alone has the calls of tools as well; with a team of a file they are made.
func (f *solveFlags) replay(cmd *cobra.Command, run *aJournal) (ask func(name string) models.Model, err error) {
	terms := solveTerms{}
	results, store, err := readTape(f.cassette, &terms)
	if err != nil {
		return nil, err
	}
	if f.terms.Team == nil {
		f.terms, f.calls, f.played = terms, results, store
	}
	f.terms.Task, f.terms.Began, f.terms.Journal = terms.Task, terms.Began, terms.Journal
	switch {
	case f.journal != "" && !terms.Journal:
		return nil, usage(errors.New("--journal: the cassette was recorded without a journal, with which the log differs"))
	case f.journal == "" && terms.Journal:
		run.store = &journal.Memory{}
	}
	if f.played != nil || f.journal == "" {
		if f.journal != "" {
			err = f.keep(cmd, run)
		}
		return f.taken(results), err
	}
	if err := f.begin(cmd, run); err != nil {
		return nil, err
	}
	f.calls = run.recorder
	return f.taken(chain{run.recorder, results}), nil
}

// taken returns the models whose answers are on record, where what was recalled is as well.
func (f *solveFlags) taken(from journal.Caller) func(name string) models.Model {
	f.told = from
	return func(name string) models.Model { return cassette.Replay(f.terms.Team.Models[name].ID(), from) }
}

// models makes models of the team, by their names, within the budget, which has no limit if none
// was given. Only nil makes all of them.
func (f *solveFlags) models(only []string) (map[string]models.Model, *limits.Budget, error) {
	all, budget, err := providers.Models(f.terms.Team, providers.Options{
		Only: only, Retrying: func(err error, pause time.Duration) { f.live.retrying(err, pause) },
	})
	if f.terms.Team.Budget != "" {
		f.budget = budget
	}
	return all, budget, err
}

// record records what the budget books.
func (run *aJournal) record(budget *limits.Budget) {
	budget.Keep(func(c limits.Change) error { return cassette.Book(run.store, c) })
}
