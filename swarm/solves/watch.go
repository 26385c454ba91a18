package solves

import (
	"context"
	"iter"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Watch yields the events of a solve in a journal, from its beginning and then
// as they happen, like [swarm.Swarm.Stream]: it may start late and, with a
// [journal.View], in another process. It waits for a solve that has not begun.
//
// A log does not contain everything. [Started] has no seed and no agents, refused
// signals are only their kinds, an error is its text, and [Weighed] is the decision when the
// solve stopped. The [Result] of [Stopped] has the signals and the decision, and who
// failed or was late, but no turns, account or times.
//
// The iteration ends after Stopped; but after that of an escalated solve it
// waits for its continuation, and after a stop from which the solve was resumed it goes
// on, if its continuation is in the journal by then. It ends early with an error: one of
// [journal.Reader].Follow, of [replay.Replay.Next], or the cause of ctx's end.
//
// kinds are those of a program, as for [List].
func Watch(ctx context.Context, j journal.Reader, thread string, kinds ...signals.Registration) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for e, err := range watch(ctx, j, thread, kinds) {
			if !yield(e, err) || err != nil {
				return
			}
			stopped, ok := e.(Stopped)
			if !ok || stopped.Result.Stop == runlog.StopEscalated {
				continue
			}
			on, err := goesOn(j, stopped.Result)
			if err != nil {
				yield(nil, err)
			}
			if !on {
				return
			}
		}
	}
}

// goesOn reports whether the journal has more of a solve that stopped than its outcome.
func goesOn(j journal.Reader, r *Result) (bool, error) {
	if r.Stop == runlog.StopConsensus {
		return false, nil
	}
	codec, err := runlog.NewCodec()
	if err != nil {
		return false, err
	}
	last := r.Log[len(r.Log)-1].Head().Seq
	for record, err := range records(j) {
		if err != nil {
			return false, err
		}
		kind, thread, err := record.About()
		if err != nil {
			return false, err
		}
		if thread != r.Thread || kind == runlog.KindOutcome || !r.Stop.GoesOn() && kind != runlog.KindAnswered {
			continue
		}
		s, err := record.Signal(codec)
		if err != nil || s.Head().Seq > last {
			return err == nil, err
		}
	}
	return false, nil
}

// watch yields the events of a thread without end.
func watch(ctx context.Context, j journal.Reader, thread string, kinds []signals.Registration) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		w, err := newWatcher(j, thread, kinds)
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
	replay *replay.Replay
	*replay.Thread
}

func newWatcher(j journal.Reader, thread string, kinds []signals.Registration) (*watcher, error) {
	codec, err := runlog.NewCodec(kinds...)
	if err != nil {
		return nil, err
	}
	past, after, err := open(j)
	if err != nil {
		return nil, err
	}
	return &watcher{after, codec, past, past.Thread(thread)}, nil
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
	if now.Decided != nil && now.Decided != before.Decided {
		all = append(all, Weighed{w.Last})
	}
	all = append(all, Spoke{w.Log[before.Log]})
	for _, f := range w.Turns.Failed[before.Failed:] {
		all = append(all, TurnFailed{f.Agent, f.Round, f.Err()})
	}
	for _, f := range w.Turns.Refused[before.Refused:] {
		all = append(all, refusedIn(f))
	}
	if w.Stage.Stopped() && (!stopped || now.Decided != before.Decided) {
		all = append(all, Stopped{Of(w.Thread)})
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
