package swarm

import (
	"context"
	"iter"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
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
			var events []Event
			if err == nil && record.Type == journal.TypeSignal {
				events, err = w.next(&record)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// A watcher derives the events of a thread from a log.
type watcher struct {
	after  uint64
	codec  *signals.Codec
	replay *Replay
	*replayed
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
	return &watcher{after, codec, replay, replay.thread(thread)}, nil
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

// next takes a record, and returns the events of the thread.
func (w *watcher) next(record *journal.Record) ([]Event, error) {
	s, err := record.Signal(w.codec)
	if err != nil {
		return nil, err
	}
	before, stopped := w.Mark(), w.Stage.Stopped()
	if err := w.replay.Next(s); err != nil {
		return nil, err
	}
	return w.events(before, stopped), nil
}

// events returns what is new since a mark.
func (w *watcher) events(before runlog.Mark, stopped bool) (all []Event) {
	now := w.Mark()
	if now.Log == before.Log {
		return nil
	}
	if before.Log == 0 && w.Task() != (signals.Task{}) {
		all = append(all, Started{Thread: w.Name, Task: w.Task()})
	}
	if now.Rounds > before.Rounds {
		all = append(all, RoundStarted{Round: now.Rounds, Turns: w.turns(before)})
	}
	all = append(all, Spoke{w.Log[before.Log]})
	for _, f := range w.Turns.Failed[before.Failed:] {
		all = append(all, TurnFailed{f.Agent, f.Round, f.Err()})
	}
	if now.Decided != nil && now.Decided != before.Decided {
		all = append(all, Weighed{w.last})
	}
	if w.Stage.Stopped() && (!stopped || now.Decided != before.Decided) {
		all = append(all, Stopped{w.result()})
	}
	return all
}

// turns names the agents whose turns begin with a round.
func (w *watcher) turns(before runlog.Mark) (names []string) {
	if w.Turns.Began == before.Began {
		return nil
	}
	begun, _ := w.Turns.Began.Payload.All() // the codec checked it
	for _, t := range begun {
		names = append(names, t.Agent)
	}
	return names
}
