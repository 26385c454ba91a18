package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/console/open"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// A job is a solve of this process: where it is recorded, and what keeps its answers.
type job struct {
	terms    *solveTerms
	store    journal.Store // nil: nowhere
	recorder *journal.Recorder
	tape     *journal.File     // that is recorded; nil: none
	onTape   *journal.Recorder // what is recorded there; nil: nothing
	keep     desk.Keep
	played   journal.Reader // a cassette that has the calls of tools, too, so that no server is needed; nil: none
	past     *pastSpending  // nil: the run begins
	settle   bool
	unused   string // path of a new journal, until the solve begins
}

// close closes the cassette, and removes the journal of a solve that did not begin, so that its name
// is free. The desk closes the journal.
func (j *job) close() (err error) {
	if j.tape != nil {
		err = j.tape.Close()
	}
	if j.unused != "" {
		err = errors.Join(err, os.Remove(j.unused))
	}
	return err
}

// journal opens the journal that was asked for.
func (j *job) journal(name string, notes io.Writer) error {
	file, err := newRun(name, notes)
	if err != nil {
		return err
	}
	fmt.Fprintln(notes, "journal:", file.Path())
	j.store, j.unused = file, file.Path()
	return nil
}

// begin opens the journal that was asked for, with the terms.
func (j *job) begin(name string, notes io.Writer) (err error) {
	if err = j.journal(name, notes); err == nil {
		j.recorder, err = recordTerms(j.store, j.terms)
	}
	return err
}

// waits are the options of a run that waits while the disk is full, and says so.
func waits(path string, notes io.Writer) *journal.Options {
	return &journal.Options{Full: func(err error) {
		if err == nil {
			fmt.Fprintf(notes, "%s: there is room again\n", text.Printable(path))
			return
		}
		fmt.Fprintf(notes, "%s: there is no room on the disk: what is new waits, and goes on when there is some: %s\n", text.Printable(path), text.Printable(err.Error()))
	}}
}

// newRun opens a journal for a run that is not there yet.
func newRun(name string, notes io.Writer) (*journal.File, error) {
	path, err := runs.Make(name)
	if err != nil {
		return nil, err
	}
	file, err := journal.Open(path, waits(path, notes))
	if err != nil {
		return nil, err
	}
	if file.Last() > 0 {
		return nil, errors.Join(fmt.Errorf("--journal %s already contains a run: name a new file, or go on with %s", path, text.Shell("swarmbus", "solve", "--resume", path)), file.Close())
	}
	return file, nil
}

// start returns the job of a new solve: with the answers of a cassette, or recorded in the run and
// on a cassette, where there are such.
func (f *solveFlags) start(notes io.Writer) (j *job, err error) {
	j = &job{terms: &f.terms}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.abandon())
		}
	}()
	if f.cassette != "" {
		return j, f.replay(j, notes)
	}
	var tape *journal.Recorder
	if f.record != "" {
		if tape, err = f.tape(j); err != nil {
			return j, err
		}
		j.onTape, j.keep.Calls = tape, tape
	}
	if f.journal != "" {
		if err = j.begin(f.journal, notes); err != nil {
			return j, err
		}
		j.keep = desk.Keep{Answers: j.recorder, Calls: both(j.recorder, tape)}
	}
	return j, nil
}

// abandon closes everything of a job that has no desk.
func (j *job) abandon() (err error) {
	if j.store != nil {
		err = j.store.Close()
	}
	return errors.Join(err, j.close())
}

// replay takes the answers of a cassette. What is played has a journal if it had one. A cassette
// alone has the calls of tools as well; with a team of a file they are made.
func (f *solveFlags) replay(j *job, notes io.Writer) error {
	terms := solveTerms{}
	results, store, err := readTape(f.cassette, &terms)
	if err != nil {
		return err
	}
	j.keep = desk.Keep{Answers: results, Replay: true}
	if f.terms.Team == nil {
		f.terms, j.keep.Calls, j.played = terms, results, store
	}
	f.terms.Task, f.terms.Files, f.terms.Began, f.terms.Journal, f.terms.Starts = terms.Task, terms.Files, terms.Began, terms.Journal, terms.Starts
	switch {
	case f.journal != "" && !terms.Journal:
		return cli.Usage(errors.New("--journal: the cassette was recorded without a journal, with which the log differs"))
	case f.journal == "" && terms.Journal:
		j.store = &journal.Memory{}
	case f.journal != "" && j.played != nil:
		return j.journal(f.journal, notes)
	case f.journal != "":
		if err := j.begin(f.journal, notes); err != nil {
			return err
		}
		j.keep.Answers, j.keep.Calls = chain{j.recorder, results}, j.recorder
	}
	return nil
}

// goOn returns the job of a run that is continued, whose terms it adopts except those that are set
// anew.
func (f *solveFlags) goOn(cmd *cobra.Command, file *journal.File) (j *job, err error) {
	j = &job{terms: &f.terms, store: file, settle: f.settle}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.abandon())
		}
	}()
	if j.recorder, err = journal.NewRecorder(file); err != nil {
		return j, err
	}
	if err := readTerms(j.recorder.Results(), &f.terms); err != nil {
		return j, err
	}
	if err := f.team.change(cmd, f.terms.Team); err != nil {
		return j, cli.Usage(err)
	}
	if err := f.terms.Team.Validate(); err != nil {
		return j, err
	}
	past, err := cassette.Spent(file)
	if err != nil {
		return j, err
	}
	j.past = &pastSpending{Caller: j.recorder, past: past}
	j.keep = desk.Keep{Answers: j.past, Calls: j.recorder}
	if f.cassette = f.terms.Cassette; f.cassette != "" {
		results, _, err := readTape(f.cassette, new(solveTerms))
		j.keep.Answers, j.keep.Replay = chain{j.past, results}, true
		return j, err
	}
	if f.record != "" {
		tape, err := f.tape(j)
		if err != nil {
			return j, err
		}
		j.keep = desk.Keep{Answers: both(j.past, tape), Calls: both(j.recorder, tape)}
	}
	return j, nil
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

// opening returns openers that note on a screen what takes long, and what is tried again.
func opening(s *screen, dir string, only []string) desk.Openers {
	return open.With(open.Options{
		Dir: dir, Stderr: s.notes, Only: only, Retrying: s.live.retrying,
		Embedded: func(p memory.Progress) {
			fmt.Fprintf(s.notes, "memory: made vectors of %s, %d left\n", text.Plural(p.Done, "fact"), p.Left)
		},
	})
}

// openers returns what opens the team of a job.
func (f *solveFlags) openers(s *screen, j *job) desk.Openers {
	by := opening(s, f.terms.Dir, nil)
	if j.keep.Replay {
		by.Models, by.Memory = func(*teams.Team) (map[string]models.Model, *limits.Budget, error) { return nil, nil, nil }, nil
	} else if open := by.Models; j.onTape != nil {
		by.Models = func(t *teams.Team) (map[string]models.Model, *limits.Budget, error) {
			all, budget, err := open(t)
			for name, m := range all {
				all[name] = cassette.Model(m, j.onTape)
			}
			return all, budget, err
		}
	}
	if j.played != nil {
		by.Servers = nil
	}
	by.Joined = f.joined(s.notes)
	return by
}

// play has the team work at a desk on what begin begins, and shows it.
func (f *solveFlags) play(cmd *cobra.Command, j *job, begin func(*desk.Desk) iter.Seq2[solves.Event, error]) (err error) {
	ctx, shows := cmd.Context(), newScreen(cmd, f.form)
	defer func() { err = errors.Join(err, j.close()) }()
	if cmd.Flags().Changed("deadline") {
		f.terms.Team.Deadline = teams.Duration(f.team.deadline)
	}
	at, ledger := desk.LocalOptions{Keep: &j.keep, Settle: j.settle}, f.terms.Starts
	if f.terms.Ledger != "" {
		if ledger, err = f.terms.Ledger.read(); err != nil {
			return err
		}
	}
	if f.record != "" || f.cassette != "" {
		at.Clock = swarm.StepClock(f.terms.Began, time.Millisecond)
	}
	team := desk.Team{File: f.terms.Team, Open: knowing(ledger, desk.Opener(f.terms.Team, f.openers(shows, j)))}
	d, err := desk.Open(ctx, team, desk.NewLocal(j.store, &at), desk.Options{
		Hook: shows.live.watching(cli.HookOf(ctx)), Watch: func(b *bus.Bus) (func(), error) { return cli.Watch(ctx, b) },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close(context.WithoutCancel(ctx))) }()
	shows.within(f.terms.Team, d.Budget())
	if err := d.Begun(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	j.unused = ""
	var learned error
	err = shows.show(j.whole(ctx, d, begin(d)), func(r *solves.Result) (goesOn bool) {
		learned = f.terms.Ledger.learn(ledger, nameOfRun(j.store), f.terms.Began, r)
		goesOn = j.recorded(r) != nil
		if !goesOn {
			run := nameOfRun(j.store)
			sayAsked(shows.notes, run, nil, waiting(asksOf(r)))
			if run != "" && r.Stop == runlog.StopCancelled {
				fmt.Fprintln(shows.notes, "It goes on with: "+text.Shell("swarmbus", "solve", "--resume", run))
			}
		}
		return goesOn
	})
	return errors.Join(err, learned)
}

// whole yields the events of a solve, and of how it goes on with the answers about calls of tools
// that the cassette has. Results have what was spent before.
func (j *job) whole(ctx context.Context, d *desk.Desk, events iter.Seq2[solves.Event, error]) iter.Seq2[solves.Event, error] {
	return func(yield func(solves.Event, error) bool) {
		for events != nil {
			var said []asking.Answer
			thread := ""
			for e, err := range events {
				if stopped, ok := e.(solves.Stopped); ok {
					if j.past != nil {
						j.past.add(stopped.Result)
					}
					said, thread = j.recorded(stopped.Result), stopped.Result.Thread
				}
				if !yield(e, err) {
					return
				}
			}
			events = nil
			for _, a := range said {
				if _, err := d.Answer(ctx, thread, a); err != nil {
					yield(nil, err)
					return
				}
			}
			if said != nil {
				events = d.Continue(ctx, thread, nil)
			}
		}
	}
}

// recorded returns the answers that the cassette that is played has for a solve that asks about
// calls of tools; nil: it lacks one.
func (j *job) recorded(r *solves.Result) (all []asking.Answer) {
	if j.played == nil || j.store == nil || r.Stop != runlog.StopAsked {
		return nil
	}
	said, err := cassette.Answered(j.played)
	if err != nil {
		return nil
	}
	open := callsOf(r)
	for _, a := range said {
		if slices.ContainsFunc(open, func(q ask) bool { return q.id == a.Call.ID }) {
			all = append(all, a.Answer)
		}
	}
	if len(all) < len(open) {
		return nil
	}
	return all
}

// again continues the solve that a run has, with or without an answer; one that was interrupted
// before it began begins.
func (f *solveFlags) again(ctx context.Context, d *desk.Desk, answer signals.Any) iter.Seq2[solves.Event, error] {
	fail := func(err error) iter.Seq2[solves.Event, error] {
		return func(yield func(solves.Event, error) bool) { yield(nil, err) }
	}
	if err := d.Ready(ctx); err != nil {
		return fail(err)
	}
	past := d.Log().Fold().Solves()
	switch {
	case len(past) == 0 && answer != nil:
		return fail(errors.New("the run asks nothing: it was interrupted before it began"))
	case len(past) == 0:
		return d.Solve(ctx, desk.Task{Task: f.terms.task()})
	}
	if v, ok := answer.(*signals.Signal[signals.Vote]); ok && !proposed(past[0].Log, v.Payload.ProposalID) {
		return fail(fmt.Errorf("no agent proposed %q", v.Payload.ProposalID))
	}
	return d.Continue(ctx, past[0].Thread, answer)
}
