package solves

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// onlyAsking returns the only thread that waits for an answer to an escalation.
func onlyAsking(j journal.Reader) (string, error) {
	all, err := List(j)
	var asks []string
	for _, r := range all {
		if slices.ContainsFunc(r.Questions, func(q runlog.Question) bool { return q.Open && q.Call == nil }) {
			asks = append(asks, r.Thread)
		}
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
