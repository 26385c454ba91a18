package solves

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Leave leaves an answer in the journal of a swarm that is not open: the solve of
// that thread continues from it when its program resumes it ([swarm.Swarm.Resume], without an
// answer). The thread may be "" if one solve in the journal waits for an answer. What
// may be an answer, and the errors, are those of Resume; the agents are those whose
// turns are on record.
func Leave(ctx context.Context, j journal.Store, thread string, answer signals.Any) (err error) {
	if thread == "" {
		if thread, err = onlyAsking(j); err != nil {
			return err
		}
	}
	l, err := read(j, thread)
	if err != nil {
		return err
	}
	at := runlog.StageOf(l.said)
	b, err := l.bus(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	if err := cmp.Or(l.team.Check(b, answer), runlog.OnRecord(l.said, answer)); err != nil {
		return err
	}
	question, err := l.team.To(l.said, at, answer)
	if err := cmp.Or(err, l.team.Waits(at, question, true)); err != nil {
		return err
	}
	return l.write(ctx, b, j, func() error { return l.publish(ctx, b, question, answer) })
}

// A left thread is one in a journal that nobody has open.
type left struct {
	thread string
	codec  *signals.Codec
	said   []signals.Any
	last   signals.Any     // of the journal
	team   runlog.Insiders // agents whose turns are on record
	run    runlog.Insiders // with those of the other threads of the journal
}

// read reads a thread.
func read(j journal.Reader, thread string) (*left, error) {
	codec, err := runlog.NewCodec()
	if err != nil {
		return nil, err
	}
	l := &left{thread: thread, codec: codec}
	var last *journal.Record
	for r, err := range records(j) {
		if err != nil {
			return nil, err
		}
		last = &r
		kind, name, err := r.About()
		if err != nil {
			return nil, err
		}
		if name != thread && kind != runlog.KindBegan {
			continue
		}
		said, err := r.Signal(codec)
		if err != nil {
			return nil, err
		}
		if err := l.take(said); err != nil {
			return nil, err
		}
	}
	if len(l.said) == 0 {
		return nil, fmt.Errorf("%w: there is no thread %q", runlog.ErrLog, thread)
	}
	if l.last, err = last.Signal(codec); err != nil {
		return nil, err
	}
	if _, err := runlog.Opening(l.said); err != nil {
		return nil, err
	}
	return l, nil
}

// take takes in a signal of the thread, or the agents of one that begins a round.
func (l *left) take(said signals.Any) error {
	ours := said.Head().Thread == l.thread
	if ours {
		l.said = append(l.said, said)
	}
	began, ok := signals.As[runlog.Began](said)
	if !ok {
		return nil
	}
	turns, err := began.Payload.All()
	for _, t := range turns {
		l.run = append(l.run, t.Agent)
		if ours {
			l.team = append(l.team, t.Agent)
		}
	}
	return err
}

// bus returns a bus with the thread, on which the names and kinds are reserved that a
// swarm reserves.
func (l *left) bus(ctx context.Context) (*bus.Bus, error) {
	b, err := bus.New(&bus.Options{TTL: -1, Sweep: -1, Limits: signals.Limits{TextBytes: -1}})
	if err != nil {
		return nil, err
	}
	_, err = b.Layer("swarm", runlog.Reserved()...)
	for _, id := range l.team {
		if err == nil {
			_, err = b.Agent(id, bus.Permissions{})
		}
	}
	log := l.said
	if l.last.Head().Thread != l.thread {
		log = append(slices.Clip(log), l.last) // the bus continues after it
	}
	if err == nil {
		err = b.Feed(ctx, log...)
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// say writes to the journal what the system or a person says.
func (l *left) say(ctx context.Context, j journal.Store, all ...signals.Any) error {
	b, err := l.bus(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	return l.write(ctx, b, j, func() error {
		for _, s := range all {
			if _, err := runlog.Publish(ctx, b, s); err != nil {
				return err
			}
		}
		return nil
	})
}

// write writes to the journal what publish publishes on the bus, after the conflicts before
// whose signals the journal was cut off.
func (l *left) write(ctx context.Context, b *bus.Bus, j journal.Store, publish func() error) error {
	past, _, err := replayed(j, l.codec)
	if err != nil {
		return err
	}
	defer past.Close()
	w, err := journal.Continue(ctx, b, j, l.codec)
	if err != nil {
		return err
	}
	if owed := past.Owed(); len(owed) > 0 {
		err = b.Feed(ctx, owed...)
	}
	if err == nil {
		err = publish()
	}
	return errors.Join(err, w.Close(ctx))
}

// publish publishes an answer as a reply to the question.
func (l *left) publish(ctx context.Context, b *bus.Bus, question signals.ID, answer signals.Any) error {
	h := answer.Head()
	h.Source, h.Thread, h.ReplyTo, h.TTL = runlog.SourceOf(answer), l.thread, question, runlog.Forever
	h.Round = max(h.Round, l.round())
	if _, err := runlog.Publish(ctx, b, signals.With(answer, h)); err != nil {
		return fmt.Errorf("swarm: answer: %w", err)
	}
	return nil
}
