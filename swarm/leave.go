package swarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// LeaveAnswer leaves an answer in the journal of a swarm that is not open: the solve of
// that thread continues from it when its program resumes it ([Swarm.Resume], without an
// answer). The thread may be "" if one solve in the journal waits for an answer. What
// may be an answer, and the errors, are those of Resume; the agents are those whose
// turns are on record.
func LeaveAnswer(ctx context.Context, j journal.Store, thread string, answer signals.Any) (err error) {
	if thread == "" {
		if thread, err = onlyAsking(j); err != nil {
			return err
		}
	}
	log, last, err := logOf(j, thread)
	if err != nil {
		return err
	}
	s, err := standIn(log)
	if err != nil {
		return err
	}
	defer s.bus.Close()
	if err := cmp.Or(s.mayAnswer(answer), onRecord(log, answer)); err != nil {
		return err
	}
	at := stageOf(log)
	if err := s.mayBeAnswered(at); err != nil {
		return err
	}
	if last.Head().Thread != log[0].Head().Thread {
		log = append(log, last) // the bus continues after it
	}
	codec, err := newCodec()
	if err == nil {
		err = s.bus.Feed(ctx, log...)
	}
	if err != nil {
		return err
	}
	if s.writer, err = journal.Continue(ctx, s.bus, j, codec); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.writer.Close(ctx)) }()
	return s.leave(ctx, log[0].Head().Thread, at.Question(), answer, log)
}

// leave publishes an answer as a reply to the question.
func (s *Swarm) leave(ctx context.Context, thread string, question signals.ID, answer signals.Any, log []signals.Any) error {
	h := answer.Head()
	h.Source, h.Thread, h.ReplyTo, h.TTL = cmp.Or(h.Source, Person), thread, question, forever
	for _, said := range log {
		if sh := said.Head(); sh.Thread == thread {
			h.Round = max(h.Round, sh.Round)
		}
	}
	publisher, err := s.bus.Agent(h.Source, bus.Permissions{Threads: []string{thread}})
	if err == nil {
		_, err = publisher.Publish(ctx, signals.With(answer, h))
	}
	if err != nil {
		return fmt.Errorf("swarm: answer: %w", err)
	}
	return nil
}

// standIn returns a swarm on a bus of its own that has the names of the agents of a log.
func standIn(log []signals.Any) (*Swarm, error) {
	s := &Swarm{}
	for _, said := range log {
		began, ok := signals.As[runlog.Began](said)
		if !ok {
			continue
		}
		turns, err := began.Payload.All()
		if err != nil {
			return nil, err
		}
		for _, t := range turns {
			s.opts.Agents = append(s.opts.Agents, &agents.Agent{ID: t.Agent})
		}
	}
	s.writer = &journal.Writer{} // the log has records
	var err error
	if s.bus, err = bus.New(&bus.Options{TTL: -1, Sweep: -1, Limits: signals.Limits{TextBytes: -1}}); err != nil {
		return nil, err
	}
	return s, s.admitAgents()
}

// logOf returns the log of a thread, and the last signal of the journal.
func logOf(j journal.Reader, thread string) (log []signals.Any, last signals.Any, err error) {
	codec, err := newCodec()
	if err != nil {
		return nil, nil, err
	}
	snapshot, err := j.Snapshot()
	if err != nil {
		return nil, nil, err
	}
	var end *journal.Record
	for r, err := range j.Read(snapshot.Through) {
		if err != nil {
			return nil, nil, err
		}
		if r.Type != journal.TypeSignal {
			continue
		}
		end = &r
		_, name, err := r.About()
		if err != nil {
			return nil, nil, err
		}
		if name != thread {
			continue
		}
		said, err := r.Signal(codec)
		if err != nil {
			return nil, nil, err
		}
		log = append(log, said)
	}
	if len(log) == 0 {
		return nil, nil, fmt.Errorf("%w: there is no thread %q", ErrLog, thread)
	}
	if last, err = end.Signal(codec); err != nil {
		return nil, nil, err
	}
	_, err = opening(log)
	return log, last, err
}

// waits reports whether the solve of the thread takes an answer: none is recorded, or
// left for its program.
func waits(j journal.Reader, thread string) (bool, error) {
	log, _, err := logOf(j, thread)
	if err != nil {
		return false, err
	}
	s, err := standIn(log)
	if err != nil {
		return false, err
	}
	s.bus.Close()
	return s.mayBeAnswered(stageOf(log)) == nil, nil
}

// asking returns the threads with an escalation and no record of an answer to it.
func asking(j journal.Reader) (asks []string, err error) {
	snapshot, err := j.Snapshot()
	if err != nil {
		return nil, err
	}
	for r, err := range j.Read(snapshot.Through) {
		if err != nil {
			return nil, err
		}
		if r.Type != journal.TypeSignal {
			continue
		}
		kind, thread, err := r.About()
		if err != nil {
			return nil, err
		}
		switch at := slices.Index(asks, thread); {
		case kind == signals.KindEscalation && at < 0:
			asks = append(asks, thread)
		case (kind == runlog.KindAnswered || kind == signals.KindConsensus) && at >= 0:
			asks = slices.Delete(asks, at, at+1)
		}
	}
	return asks, nil
}

// onlyAsking returns the only thread that waits for an answer to an escalation.
func onlyAsking(j journal.Reader) (string, error) {
	asks, err := asking(j)
	if len(asks) > 1 {
		asks = slices.DeleteFunc(asks, func(thread string) bool {
			waiting, problem := waits(j, thread)
			err = errors.Join(err, problem)
			return !waiting
		})
	}
	if err != nil {
		return "", err
	}
	switch len(asks) {
	case 0:
		return "", fmt.Errorf("%w: no solve in it waits for an answer", ErrLog)
	case 1:
		return asks[0], nil
	}
	return "", fmt.Errorf("%w: several solves wait for an answer, name one: %s", ErrLog, strings.Join(asks, ", "))
}
