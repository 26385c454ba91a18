package solves

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

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
		return "", fmt.Errorf("%w: no solve in it waits for an answer: swarmbus show prints how each ended", runlog.ErrLog)
	case 1:
		return asks[0], nil
	}
	return "", fmt.Errorf("%w: several solves wait for an answer, name one: %s", runlog.ErrLog, strings.Join(asks, ", "))
}

// asking returns the threads with an escalation and no record of an answer to it.
func asking(j journal.Reader) (asks []string, err error) {
	for r, err := range records(j) {
		if err != nil {
			return nil, err
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

// waits reports whether the solve of the thread takes an answer: none is recorded, or
// left for its program.
func waits(j journal.Reader, thread string) (bool, error) {
	l, err := read(j, thread)
	if err != nil {
		return false, err
	}
	return l.team.Waits(runlog.StageOf(l.said), true) == nil, nil
}

// records yields the records of signals in a journal.
func records(j journal.Reader) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		snapshot, err := j.Snapshot()
		if err != nil {
			yield(journal.Record{}, err)
			return
		}
		for r, err := range j.Read(snapshot.Through) {
			if (err != nil || r.Type == journal.TypeSignal) && !yield(r, err) {
				return
			}
		}
	}
}
