package cassette

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
)

// Tools returns a recorder for [tools.Set]: by makes each call of a tool once, or replays
// it. With the [journal.Results] of a recorded run no tool is called, and none is needed.
func Tools(by journal.Caller) tools.Recorder { return toolRecords{by} }

type toolRecords struct{ by journal.Caller }

// Do implements [tools.Recorder].
func (r toolRecords) Do(ctx context.Context, p tools.Place, do func(context.Context) ([]byte, error)) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return r.by.Do(ctx, journal.Key(p), do)
}

// Answered returns what persons answered about the calls that are on record, in the order in
// which they did: what has to be answered when a recorded run is replayed.
func Answered(j journal.Reader) (all []asking.Answered, err error) {
	for of, err := range resultsOf[struct {
		Answers []asking.Answered `json:"answers"`
	}](j) {
		if err != nil {
			return nil, err
		}
		for _, a := range of.body.Answers {
			if !slices.ContainsFunc(all, func(known asking.Answered) bool { return known.Call.ID == a.Call.ID }) {
				all = append(all, a)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b asking.Answered) int { return a.At.Compare(b.At) })
	return all, nil
}
