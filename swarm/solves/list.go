package solves

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// List returns the results of the solves in a journal, in the order in which
// they began, without those that [Retain] dropped. A result is the one that
// [Watch] would show last, with its Proposals. Its Stop is unset if the solve is running or was
// interrupted, and [runlog.StopEscalated] if it waits for an answer, with which
// [swarm.Swarm.Resume] can continue from the result's Log. kinds are those of a program:
// payloads of others than these and those of a swarm are [signals.Raw] in the logs.
func List(j journal.Reader, kinds ...signals.Registration) ([]*Result, error) {
	codec, err := runlog.NewCodec(kinds...)
	if err != nil {
		return nil, err
	}
	past, after, err := replayed(j, codec)
	if err != nil {
		return nil, err
	}
	defer past.Close()
	var all []*Result
	for t := range past.Threads() {
		if len(t.Log) == 0 || after > 0 && t.Log[0].Kind() != signals.KindTask {
			continue // it was dropped, or its beginning was
		}
		all = append(all, Of(t))
	}
	return all, nil
}

// open returns a replay that trusts the log of a journal, and the record after which it
// begins.
func open(j journal.Reader) (*replay.Replay, uint64, error) {
	snapshot, err := j.Snapshot()
	if err != nil {
		return nil, 0, err
	}
	r, err := replay.Trust(snapshot)
	return r, snapshot.Through, err
}

// replayed returns a replay of all of a journal, and the record after which it began.
func replayed(j journal.Reader, codec *signals.Codec) (*replay.Replay, uint64, error) {
	past, after, err := open(j)
	if err != nil {
		return nil, 0, err
	}
	for record, err := range j.Read(after) {
		if err == nil {
			err = next(past, &record, codec)
		}
		if err != nil {
			past.Close()
			return nil, 0, err
		}
	}
	return past, after, nil
}

// next takes the next record of a journal.
func next(past *replay.Replay, record *journal.Record, codec *signals.Codec) error {
	if of, ok := BeforeIn(record); ok {
		past.Thread(of.Thread).Questions.Record(of)
	}
	if record.Type != journal.TypeSignal {
		return nil
	}
	said, err := record.Signal(codec)
	if err == nil {
		err = past.Next(said)
	}
	return err
}

// Of returns the result of a thread, as far as its log has it.
func Of(t *replay.Thread) *Result {
	r := &Result{Thread: t.Name, Task: t.Task(), Decision: t.Last, Logged: LoggedBy(t.Thread)}
	r.Log = slices.Clip(r.Log)
	if !t.Stage.Stopped() {
		return r
	}
	d := t.Stage.Decided.Payload
	r.Detail, r.Observed, r.Stop = d.Detail, d.Observed, cmp.Or(d.Stop, runlog.StopFor(t.Last.Outcome))
	switch r.Stop {
	case runlog.StopConsensus:
		r.Answer = t.Stage.Announced.Payload.Decision
	case runlog.StopSettled, runlog.StopAnswered:
		r.Answer = t.Votes.Content(t.Last.Choice)
	case runlog.StopAsked:
		return r // as below
	case runlog.StopEscalated:
		r.Question = QuestionOf(t.Thread)
		return r // it goes on, without what was taken back
	}
	r.Revision = RevisionOf(t)
	return r
}
