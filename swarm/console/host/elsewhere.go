package host

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"sync"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// An Elsewhere is a log that other processes write, too: one of many machines.
type Elsewhere struct {
	Run  string
	Team string // whose solves it has; "" means Run
	Log  Records
	// Health returns how the log is doing, without waiting for long. It may be nil.
	Health func(context.Context) api.StreamHealth
	// Options are those of the team. Without agents, its solves are only watched.
	Options swarm.Options
	// Fits returns why a solve, whose signals it is called with, is not one of this team by these terms: it is
	// shown, and neither answered nor driven. It may be nil.
	Fits func(log []signals.Any) error
	// Solve and Resume drive a solve as soon as no other process does. They may be nil.
	Solve  func(context.Context, signals.Task) iter.Seq2[solves.Event, error]
	Resume func(ctx context.Context, thread string, answer signals.Any) iter.Seq2[solves.Event, error]
	// Answer records an answer to a question about the call of a tool; of several the first in
	// the log counts. It may be nil.
	Answer func(context.Context, tools.Question, tools.Answer) error
	// Driver returns the process that drives the solve of a task; "": none does. One that was killed drives it
	// for some seconds more. It is set if Resume is: solves that no process drives are resumed.
	Driver func(ctx context.Context, task signals.Task) (process string, err error)
}

// Records are a log that can be read: machines.Records.
type Records interface {
	journal.Reader
	Last() uint64
}

// errWatched is returned for operations that need a server that writes the log.
var errWatched = errors.New("this server only watches the log: name the team in its configuration to drive its solves")

// follow makes a desk of a log that other processes write.
func follow(ctx context.Context, e *Elsewhere, feed Feed) (*desk, error) {
	d := &desk{Team: Team{Name: e.Team, Run: e.Run, About: "Its agents and drivers are processes anywhere."}, elsewhere: e, running: map[string]context.CancelCauseFunc{}, drives: map[string]bool{}, begun: make(chan struct{}), ready: make(chan struct{})}
	close(d.begun)
	d.Options = e.Options
	d.begin, d.answer = e.Solve, e.Answer
	if e.Resume != nil {
		d.again = func(ctx context.Context, thread string, _ []signals.Any, answer signals.Any) iter.Seq2[solves.Event, error] {
			return e.Resume(ctx, thread, answer)
		}
	}
	var err error
	if d.log, err = newLog(e.Run, d.Team, e.Log, feed); err != nil {
		return nil, err
	}
	of, err := pastOf(e.Log)
	if err != nil {
		return nil, err
	}
	ctx, d.leave = context.WithCancel(context.WithoutCancel(ctx))
	shown, release := make(chan struct{}), sync.OnceFunc(feed.Hold(e.Run))
	d.wg.Go(func() { d.log.follow(ctx, of, shown) })
	d.wg.Go(func() {
		<-shown
		release()
		close(d.ready)
		if e.Resume != nil {
			d.keep(ctx)
		}
	})
	return d, nil
}

// fits refuses a solve that is not one of the desk's team.
func (d *desk) fits(log []signals.Any) error {
	if d.elsewhere == nil || d.elsewhere.Fits == nil {
		return nil
	}
	if err := d.elsewhere.Fits(log); err != nil {
		return api.NewError(http.StatusConflict, err.Error())
	}
	return nil
}

// reached refuses what has to be written while no server of the log answers: it would wait until one does.
func (d *desk) reached(ctx context.Context) error {
	if d.elsewhere == nil || d.elsewhere.Health == nil {
		return nil
	}
	if h := d.elsewhere.Health(ctx); !h.Connected {
		return api.NewError(http.StatusServiceUnavailable, "nothing was done: "+noAnswer(h))
	}
	return nil
}

// reader returns the records of a run.
func (r running) reader(name string) (journal.Reader, error) {
	if log := r.h.elsewhere(name); log != nil {
		return log, nil
	}
	v, err := r.view(name)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// elsewhere returns the log of a run that other processes write, too, or nil.
func (h *Host) elsewhere(run string) Records {
	if d := h.desk(run); d != nil && d.elsewhere != nil {
		return d.elsewhere.Log
	}
	if o := h.office; o != nil && o.Shared != nil && o.Name == run {
		return o.log
	}
	return nil
}

// checkElsewhere refuses logs that this server cannot show.
func (h *Host) checkElsewhere(e *Elsewhere) error {
	switch {
	case e.Log == nil:
		return fmt.Errorf("%q: no log", e.Run)
	case h.desk(e.Run) != nil:
		return fmt.Errorf("%q is the name of another run", e.Run)
	case h.team(e.Team) != nil:
		return fmt.Errorf("%q is the name of another team", e.Team)
	}
	return nil
}
