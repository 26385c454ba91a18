package swarm

import (
	"context"
	"iter"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// Watch yields the events of a solve in a journal, from its beginning and then
// as they happen, like [Swarm.Stream]: it may start late and, with a
// [journal.View], in another process. It waits for a solve that has not begun.
//
// A log does not contain everything. [Started] has no seed and no agents; refused
// signals are not shown, an error is its text, and [Weighed] is the decision when the
// solve stopped. The [Result] of [Stopped] has the signals and the decision, and who
// failed or was late, but no turns, books or times.
//
// The iteration ends after Stopped; but after that of an escalated solve it
// waits for its continuation. It ends early with an error: one of
// [journal.Reader].Follow, of [Replay.Next], or the cause of ctx's end.
func Watch(ctx context.Context, j journal.Reader, thread string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for e, err := range watch(ctx, j, thread) {
			if !yield(e, err) || err != nil {
				return
			}
			if stopped, ok := e.(Stopped); ok && stopped.Result.Stop != StopEscalated {
				return
			}
		}
	}
}

// watch yields the events of a thread without end.
func watch(ctx context.Context, j journal.Reader, thread string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		w, err := newWatcher(j, thread)
		if err != nil {
			yield(nil, err)
			return
		}
		defer w.replay.Close()
		for record, err := range j.Follow(ctx, w.after) {
			if err == nil && record.Type == journal.TypeSignal {
				err = w.next(&record)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for _, e := range w.take() {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// A watcher derives the events of a thread from a log.
type watcher struct {
	thread string
	after  uint64
	codec  *signals.Codec
	replay *Replay
	sight
}

func newWatcher(j journal.Reader, thread string) (*watcher, error) {
	replay, after, err := replayOf(j)
	if err != nil {
		return nil, err
	}
	codec, err := newCodec()
	if err != nil {
		return nil, err
	}
	w := &watcher{thread: thread, after: after, codec: codec, replay: replay, sight: sight{result: Result{Thread: thread}}}
	replay.Decided = func(in, _ string, d consensus.Decision) {
		if in == thread {
			w.result.Decision = d
		}
	}
	return w, nil
}

// replayOf returns a replay that accepts what it cannot derive, and the record
// after which it begins.
func replayOf(j journal.Reader) (r *Replay, after uint64, err error) {
	snapshot, err := j.Snapshot()
	if err != nil {
		return nil, 0, err
	}
	if r, err = NewReplay(snapshot); err != nil {
		return nil, 0, err
	}
	r.trusting = true
	return r, snapshot.Through, nil
}

func (w *watcher) next(record *journal.Record) error {
	s, err := record.Signal(w.codec)
	if err == nil {
		err = w.replay.Next(s)
	}
	if err == nil && signals.HeadOf(s).Thread == w.thread {
		w.spoke(s)
	}
	return err
}

// A sight is the state of a thread in a log so far.
type sight struct {
	result  Result
	decided *Decided                            // not nil: the decision to be announced
	asks    *signals.Signal[signals.Escalation] // the first one without an answer
	events  []Event
}

// take returns the events since the last call.
func (w *sight) take() []Event {
	events := w.events
	w.events = nil
	return events
}

func (w *sight) spoke(s signals.Any) {
	r := &w.result
	if task, ok := signals.As[signals.Task](s); ok && len(r.Log) == 0 {
		r.Task = task.Payload
		w.events = append(w.events, Started{Thread: r.Thread, Task: r.Task})
	}
	if round := int(signals.HeadOf(s).Round); round > r.Rounds {
		r.Rounds = round
		w.events = append(w.events, RoundStarted{Round: round, Turns: turnsOf(s)})
	}
	r.Log = append(r.Log, s)
	w.events = append(w.events, Spoke{s})
	switch s := s.(type) {
	case *signals.Signal[Late]:
		r.Late = append(r.Late, s.Payload)
	case *signals.Signal[Failed]:
		failed := s.Payload.turnFailed()
		r.Failed = append(r.Failed, failed)
		w.events = append(w.events, failed)
	case *signals.Signal[agents.Passed]:
		r.Passed = append(r.Passed, passed(s))
	case *signals.Signal[Opened]: // again, after an answer
		r.Stop, r.Detail, r.Observed, r.Question = 0, "", "", nil
	case *signals.Signal[signals.Escalation]:
		if w.asks == nil {
			w.asks = s
		}
	case *signals.Signal[Answered]:
		w.asks = nil
	case *signals.Signal[Decided]:
		w.events = append(w.events, Weighed{r.Decision})
		if w.decided = &s.Payload; r.Decision.Outcome != consensus.Reached || s.Payload.Stop > StopConsensus {
			w.stopped()
		}
	case *signals.Signal[signals.Consensus]:
		if w.decided != nil {
			r.Answer = s.Payload.Decision
			w.stopped()
		}
	}
}

// turnsOf names the agents whose turns begin by a signal.
func turnsOf(s signals.Any) (names []string) {
	began, ok := signals.As[Began](s)
	if !ok {
		return nil
	}
	turns, _ := began.Payload.turns() // the codec checked it
	for _, t := range turns {
		names = append(names, t.Agent)
	}
	return names
}

// stopped ends the solve, for now.
func (w *sight) stopped() {
	r := &w.result
	r.Stop, r.Detail, r.Observed = w.decided.Stop, w.decided.Detail, w.decided.Observed
	if r.Stop == 0 {
		r.Stop = stopFor(r.Decision.Outcome)
	}
	if r.Stop == StopEscalated && w.asks != nil {
		r.Question = &Question{
			Asks: w.asks.Source, Reason: w.asks.Payload.Reason, Context: w.asks.Payload.Context, Options: r.Decision.Ballots().Proposals(),
		}
	}
	w.decided = nil
	now := *r
	now.Log = slices.Clip(now.Log)
	w.events = append(w.events, Stopped{&now})
}
