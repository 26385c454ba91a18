package host

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/view"
	work "github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A Feed receives the frames of a host: a feed.Hub.
type Feed interface {
	Publish(f api.Frame) error
	At(log string, seq uint64)
	// Hold holds a log back while its past is read.
	Hold(log string) (release func())
}

// recent is how many signals before the end of a log are shown to clients that come back after a
// restart.
const recent = 4096

// kinds are those of all journals, beside the ones of a swarm.
func kinds() []signals.Registration { return slices.Concat(reports.Payloads(), roomlog.Payloads()) }

// newCodec returns a codec for the kinds of all journals.
func newCodec() (*signals.Codec, error) { return runlog.NewCodec(kinds()...) }

// A log shows what a desk folds.
type log struct {
	run  string
	team work.Team // the owner of the log
	feed Feed      // nil: nobody follows
	of   *work.Log

	lines *slog.Logger
	since time.Time // what is older was said before

	mu    sync.Mutex // protects the fields below
	shown *view.Book
	gate  *reports.Gate // counts what workers report; nil: none do
}

// watch implements [work.Options].Watcher. While a log is folded again, its book is as it was.
func (l *log) watch(of *work.Fold) work.Watcher {
	l.mu.Lock()
	defer l.mu.Unlock()
	book := view.New(l.run, of)
	l.shown, l.gate = cmp.Or(l.shown, book), nil
	if l.team.File != nil && l.team.File.Reports != nil {
		l.gate, _ = reports.NewGate(nil) // the default options
	}
	return shower{l, book}
}

// show shows the book that a new record is in.
func (l *log) show(book *view.Book) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = book
}

// reported counts a signal of a worker's report.
func (l *log) reported(said signals.Any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gate != nil && said != nil {
		l.gate.Apply(said)
	}
}

// counts returns what workers reported, by worker and model.
func (l *log) counts() map[reports.Reporter]reports.Counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gate == nil {
		return nil
	}
	return l.gate.Counts()
}

// book returns the book of the log.
func (l *log) book() *view.Book {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown
}

// until waits until a condition holds.
func (l *log) until(ctx context.Context, holds func(*view.Book) bool) error {
	return l.of.Until(ctx, func() bool { return holds(l.book()) })
}

func (l *log) problem() string {
	if err := l.of.Err(); err != nil {
		return err.Error()
	}
	return ""
}

// said implements [work.Options].Said.
func (l *log) said(thread string, saying map[string]string) {
	one, ok := l.book().Solve(thread)
	if l.feed == nil || !ok {
		return
	}
	own(l.team.File, l.team.Name, &one)
	one.Saying = saying
	_ = l.feed.Publish(api.Frame{Type: api.FrameSaying, Log: l.run, Solve: &one}) // fails with what is no JSON only
}

// A shower has a book apply what is folded, and tells clients.
type shower struct {
	log  *log
	book *view.Book
}

// Folded implements [work.Watcher].
func (s shower) Folded(record *journal.Record, said signals.Any, of *replay.Thread, fresh bool) error {
	frame, ok := s.book.Apply(record, said, of)
	if fresh {
		s.log.show(s.book)
	}
	s.log.reported(said)
	switch {
	case s.log.feed == nil || said == nil:
		return nil
	case !ok || !fresh:
		s.log.feed.At(s.log.run, said.Head().Seq)
		return nil
	}
	own(s.log.team.File, s.log.team.Name, frame.Solve)
	s.log.note(said, frame.Solve)
	return s.log.feed.Publish(frame)
}

// note writes a line of what happened to a solve, without what agents and people say.
func (l *log) note(said signals.Any, of *api.Solve) {
	if said.Head().Time.Before(l.since) {
		return
	}
	line := l.lines.With("team", of.Team, "solve", of.ID)
	switch p := said.Body().(type) {
	case signals.Task:
		line.Info("solve began")
	case runlog.Failed:
		line.Warn("turn failed", "agent", p.Agent, "round", p.Round, "reason", text.Cut(p.Reason, longest))
	case runlog.Decided:
		if p.Stop != 0 {
			line.Info("solve stopped", "stop", p.Stop.String(), "state", of.State, "rounds", of.Rounds, "signals", of.Signals)
		}
	}
}

// longest is how many bytes of a reason are in a line.
const longest = 400
