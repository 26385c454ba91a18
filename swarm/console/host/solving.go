package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/view"
	work "github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// solving is the solves of all runs.
type solving struct{ h *Host }

// Teams implements [api.Solves].
func (s solving) Teams(context.Context) ([]api.Team, error) {
	all := []api.Team{}
	for _, d := range s.h.desks {
		t := api.Team{Name: d.Name, Description: d.About, Run: d.Run, Tasks: d.Tasks, Agents: []string{}, Threshold: d.Options.Threshold, Deadline: d.Options.Limits.Deadline.String()}
		for _, a := range d.Options.Agents {
			t.Agents = append(t.Agents, a.ID)
		}
		if d.Options.Strategy != nil {
			t.Strategy = d.Options.Strategy.Name()
		}
		if d.File != nil {
			t.Description, t.Budget = d.File.Description, string(d.File.Budget)
		}
		all = append(all, t)
	}
	return all, nil
}

// Start implements [api.Solves].
func (s solving) Start(ctx context.Context, n api.NewSolve) (api.Solve, error) {
	d := s.h.team(n.Team)
	if d == nil {
		return api.Solve{}, notFound("team", n.Team)
	}
	if strings.Trim(n.Task, " \t\r\n") == "" {
		return api.Solve{}, api.NewError(http.StatusUnprocessableEntity, "the task is blank")
	}
	task := work.Task{
		Task:        signals.Task{Task: n.Task, Context: n.Context, Schema: string(n.Schema), Ref: n.Ref, Attachments: attached(n.Attachments)},
		FactsDiffer: n.FactsDiffer, Checkable: n.Checkable,
	}
	thread, known, err := d.Start(ctx, task)
	if err != nil {
		return api.Solve{}, refused(err)
	}
	one, err := s.get(d, thread)
	one.Known, one.Team = known, d.Name
	return one, err
}

func attached(all []api.Attachment) signals.Attachments {
	files := make([]signals.Attachment, len(all))
	for i, f := range all {
		files[i] = signals.Attachment{Name: f.Name, Type: f.Type, Data: f.Data}
	}
	return signals.Attach(files...)
}

// refused returns an error with the status that fits.
func refused(err error) error {
	var field *signals.FieldError
	var answered *runlog.AnsweredError
	var outage *work.OutageError
	var unfit *work.UnfitError
	var driven *work.DrivenError
	switch {
	case errors.As(err, &field), errors.Is(err, work.ErrKind):
		return api.NewError(http.StatusUnprocessableEntity, err.Error())
	case errors.As(err, &outage):
		return api.NewError(http.StatusServiceUnavailable, err.Error())
	case errors.As(err, &answered), errors.As(err, &unfit), errors.As(err, &driven), errors.Is(err, work.ErrRuns), errors.Is(err, work.ErrWatched), errors.Is(err, runlog.ErrLog):
		return api.NewError(http.StatusConflict, err.Error())
	case errors.Is(err, swarm.ErrClosed), errors.Is(err, work.ErrStopping), errors.Is(err, work.ErrEnded):
		return api.NewError(http.StatusServiceUnavailable, "the server stops")
	case errors.Is(err, swarm.ErrNotObserved):
		return api.NewError(http.StatusConflict, err.Error())
	}
	return err
}

// get returns a solve of a desk.
func (s solving) get(d *desk, thread string) (api.Solve, error) {
	going := d.Running()
	one, ok := d.log.book().Solve(thread)
	if !ok {
		return one, notFound("solve", d.Run+"."+thread)
	}
	return dress(d, going, one), nil
}

// own adds to a solve of a team the team, and how much of its budget the solve has used.
func own(file *teams.Team, name string, one *api.Solve) {
	one.Team = name
	if file == nil {
		return
	}
	most, _ := file.Budget.Most() // checked with the file
	used := 0.0
	switch {
	case most.Money > 0:
		used = one.Cost.Dollars / most.Money.Dollars()
	case most.Tokens > 0:
		used = float64(one.Cost.InputTokens+one.Cost.OutputTokens) / float64(most.Tokens)
	default:
		return
	}
	one.Budget = &api.Budget{Limit: string(file.Budget), Used: used}
}

// dress adds the fields that the log of a solve does not have: its team, and whether it runs. The
// running solves were read before the log, which has all of a solve that has ended.
func dress(d *desk, going map[string]bool, one api.Solve) api.Solve {
	own(d.File, d.Name, &one)
	one.Saying = d.Saying(one.Thread)
	switch runs := going[one.Thread]; {
	case d.Shared() && !runs: // whether it runs is known elsewhere
	case one.State == api.Running && !runs && d.IsReady():
		one.State = api.Interrupted
	case runs && (one.State == api.Interrupted || d.Shared() && (one.State == api.Undecided || one.State == api.Failed)):
		one.State = api.Running // it continues, and has published nothing yet
	}
	return one
}

// List implements [api.Solves].
func (s solving) List(_ context.Context, q api.SolvesQuery) ([]api.Solve, error) {
	all := []api.Solve{}
	for _, d := range s.h.desks {
		going := d.Running()
		for _, one := range d.log.book().Solves() {
			all = append(all, dress(d, going, one))
		}
	}
	others, err := s.h.others(q.Run)
	if err != nil {
		return nil, err
	}
	all = append(all, others...)
	all = slices.DeleteFunc(all, func(one api.Solve) bool { return !selects(q, one) })
	slices.SortStableFunc(all, func(a, b api.Solve) int { return b.Began.Compare(a.Began) })
	return all[:min(len(all), q.Limit)], nil
}

// others returns the solves of journals that programs wrote: of one run, or for "" of all that can be read.
func (h *Host) others(run string) (all []api.Solve, err error) {
	if run != "" {
		if h.desk(run) != nil {
			return nil, nil
		}
		return h.archive.solves(run, new(int64(math.MaxInt64)))
	}
	paths, err := runs.List(h.o.Dir)
	left := int64(mostUnread)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), runs.Suffix)
		if h.desk(name) != nil || h.elsewhere(name) != nil || h.office != nil && h.office.Name == name {
			continue
		}
		if some, err := h.archive.solves(name, &left); err == nil { // the list of runs says what is wrong with one
			all = append(all, some...)
		}
	}
	return all, err
}

// mostUnread is how many bytes of journals that nobody has read yet a list of solves reads, so that it never waits
// for long: some 0.3 s. The lists after it read the others.
const mostUnread = 16 << 20

func selects(q api.SolvesQuery, one api.Solve) bool {
	text := strings.ToLower(q.Text)
	return (q.Run == "" || q.Run == one.Run) && (q.Team == "" || q.Team == one.Team) && (q.State == "" || q.State == one.State) &&
		(text == "" || strings.Contains(strings.ToLower(one.Task), text) || strings.Contains(strings.ToLower(one.Answer), text))
}

// bookOf returns the book of the run of a solve, and its desk if this server writes it.
func (h *Host) bookOf(ctx context.Context, id string) (b *view.Book, d *desk, thread string, err error) {
	run, thread, err := split(id)
	if err != nil {
		return nil, nil, "", err
	}
	if d = h.desk(run); d != nil {
		err = d.Ready(ctx)
		return d.log.book(), d, thread, err
	}
	b, err = h.archive.book(run)
	return b, nil, thread, err
}

// Get implements [api.Solves].
func (s solving) Get(ctx context.Context, id string, after uint64) (api.SolveDetail, error) {
	b, d, thread, err := s.h.bookOf(ctx, id)
	if err != nil {
		return api.SolveDetail{}, err
	}
	var going map[string]bool
	if d != nil {
		going = d.Running()
	}
	one, ok := b.Detail(thread, after)
	if !ok {
		return one, notFound("solve", id)
	}
	if d != nil {
		one.Solve = dress(d, going, one.Solve)
	} else {
		one.Solve = cut(filepath.Join(s.h.o.Dir, one.Run+runs.Suffix), []api.Solve{one.Solve})[0]
	}
	if one.Trace != nil && s.h.o.Jaeger != "" {
		one.Trace.URL = strings.TrimSuffix(s.h.o.Jaeger, "/") + "/trace/" + one.Trace.ID
	}
	return one, nil
}

// Changed implements [api.Solves].
func (s solving) Changed(ctx context.Context, seen api.Solve) error {
	_, d, thread, err := s.h.bookOf(ctx, seen.ID)
	if err != nil {
		return err
	}
	if d == nil { // nobody goes on with it
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return refused(d.log.until(ctx, func(*view.Book) bool {
		now, err := s.get(d, thread)
		return err != nil || now.Seq > seen.Seq || now.State != seen.State || !maps.Equal(now.Saying, seen.Saying)
	}))
}

// own returns the desk of a solve of this server.
func (s solving) own(ctx context.Context, id string) (*desk, string, error) {
	run, thread, err := split(id)
	if err != nil {
		return nil, "", err
	}
	d := s.h.desk(run)
	if d == nil {
		return nil, "", notFound("solve of this server", id)
	}
	if err := d.Ready(ctx); err != nil {
		return nil, "", err
	}
	if _, ok := d.log.book().Solve(thread); !ok {
		return nil, "", notFound("solve", id)
	}
	return d, thread, nil
}

// Cancel implements [api.Solves].
func (s solving) Cancel(ctx context.Context, id string) (api.Solve, error) {
	d, thread, err := s.own(ctx, id)
	if err != nil {
		return api.Solve{}, err
	}
	err = d.Cancel(ctx, thread, api.WhoOf(ctx).Name)
	if driven := (*work.DrivenError)(nil); errors.As(err, &driven) {
		return api.Solve{}, api.NewError(http.StatusConflict, driven.Error()+": cancel it there")
	}
	one, gone := s.get(d, thread)
	switch {
	case errors.Is(err, work.ErrIdle) && gone == nil:
		return api.Solve{}, api.NewError(http.StatusConflict, "the solve does not run: it is "+one.State)
	case err != nil:
		return api.Solve{}, refused(err)
	}
	return one, gone
}

// Resume implements [api.Solves].
func (s solving) Resume(ctx context.Context, id string) (api.Solve, error) {
	d, thread, err := s.own(ctx, id)
	if err != nil {
		return api.Solve{}, err
	}
	one, err := s.get(d, thread)
	if err != nil {
		return one, err
	}
	if one.State == api.Running && d.Drives(thread) || one.State == api.Waiting || one.State == api.Decided {
		return one, api.NewError(http.StatusConflict, "the solve is "+one.State)
	}
	if err := d.Reached(ctx); err != nil {
		return one, refused(err)
	}
	if err := d.Free(ctx, thread); err != nil {
		return one, refused(err)
	}
	if d.Running()[thread] { // this server goes on with it by itself
		return s.get(d, thread)
	}
	if err := d.Resume(thread, nil); err != nil {
		return one, refused(err)
	}
	return s.get(d, thread)
}

// Tell implements [api.Solves].
func (s solving) Tell(ctx context.Context, id string, o api.Outcome) (api.Solve, error) {
	d, thread, err := s.own(ctx, id)
	if err != nil {
		return api.Solve{}, err
	}
	if err := d.Tell(ctx, thread, o.Right); err != nil {
		return api.Solve{}, refused(err)
	}
	return s.get(d, thread)
}

// WhatIf implements [api.Solves].
func (s solving) WhatIf(ctx context.Context, id string, at uint64, thresholds []float64) (api.WhatIf, error) {
	b, _, thread, err := s.h.bookOf(ctx, id)
	if err != nil {
		return api.WhatIf{}, err
	}
	if last, err := b.Seq(); err == nil && at > last {
		return api.WhatIf{}, api.NewError(http.StatusBadRequest, fmt.Sprintf("at is %d, and the last position of the log is %d", at, last))
	}
	got, ok, err := b.WhatIf(thread, at, thresholds)
	switch {
	case !ok:
		return got, notFound("solve", id)
	case err != nil:
		return got, api.NewError(http.StatusUnprocessableEntity, err.Error())
	}
	return got, nil
}

// Conflicts implements [api.Solves].
func (s solving) Conflicts(ctx context.Context, q api.ConflictsQuery) ([]api.Conflict, error) {
	all := []api.Conflict{}
	if q.Solve != "" {
		b, _, thread, err := s.h.bookOf(ctx, q.Solve)
		if err != nil {
			return nil, err
		}
		all = append(all, b.Conflicts(thread)...)
	} else {
		for _, d := range s.h.desks {
			if q.Run == "" || q.Run == d.Run {
				all = append(all, d.log.book().Conflicts("")...)
			}
		}
	}
	all = slices.DeleteFunc(all, func(c api.Conflict) bool { return q.Open && !c.Open })
	slices.SortStableFunc(all, func(a, b api.Conflict) int { return b.Time.Compare(a.Time) })
	return all[:min(len(all), q.Limit)], nil
}
