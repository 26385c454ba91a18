package cassette

import (
	"context"
	"encoding/json"

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

// Asked returns the questions of a thread about calls of tools that nobody has answered, in
// the order in which they were asked.
func Asked(j journal.Reader, thread string) ([]tools.Question, error) {
	var open []tools.Question
	done := map[journal.Key]bool{}
	for record, err := range resultsOf[toolRecord](j) {
		if err != nil {
			return nil, err
		}
		if q := record.body.Asked; q != nil && record.key.Thread == thread {
			open = append(open, *q)
		}
		done[record.key] = true
		for _, q := range record.body.Stopped {
			done[journal.Key(q.Once)] = true
		}
	}
	return unanswered(open, done), nil
}

func unanswered(all []tools.Question, done map[journal.Key]bool) (open []tools.Question) {
	for _, q := range all {
		if !done[journal.Key(q.Once)] && !done[journal.Key(q.Solve)] {
			open, done[journal.Key(q.Once)] = append(open, q), true // a turn that is taken again asks again
		}
	}
	return open
}

// Answer records a person's answer to a question of [Asked]. Of two answers the first
// counts.
func Answer(j journal.Store, q tools.Question, a tools.Answer) error {
	if err := a.Validate(); err != nil {
		return err
	}
	head, err := json.Marshal(journal.Key(q.PlaceOf(a)))
	if err != nil {
		return err
	}
	body, err := json.Marshal(toolRecord{Answered: &a})
	if err == nil {
		_, err = j.Append(journal.Record{Type: journal.TypeResult, Head: head, Body: body})
	}
	return err
}

// toolRecord is the body of a record of a question or an answer, or of a call that was made
// after questions.
type toolRecord struct {
	Asked    *tools.Question        `json:"asked,omitempty"`
	Answered *tools.Answer          `json:"answered,omitempty"`
	Stopped  map[int]tools.Question `json:"stopped,omitempty"`
}
