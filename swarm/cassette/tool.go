package cassette

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

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

// A Question is one about the call of a tool that is on record.
type Question struct {
	tools.Question
	Open   bool          // it has no answer, and nobody has gone on without one
	Answer *tools.Answer // the one that counts; nil: there is none
	After  time.Time     // of the newest signal of the journal when it was asked
}

// Questions returns the questions of all threads about calls of tools, in the order in
// which they were first asked.
func Questions(j journal.Reader) ([]Question, error) {
	var all []Question
	done, asked := map[journal.Key]*tools.Answer{}, map[journal.Key]bool{}
	note := func(k journal.Key, a *tools.Answer) {
		if _, first := done[k]; !first {
			done[k] = a
		}
	}
	for record, err := range resultsOf[toolRecord](j) {
		if err != nil {
			return nil, err
		}
		if q := record.body.Asked; q != nil && !asked[journal.Key(q.Once)] { // a turn that is taken again asks again
			all = append(all, Question{Question: *q, After: record.after})
			asked[journal.Key(q.Once)] = true
		}
		note(record.key, record.body.Answered)
		for _, q := range record.body.Stopped {
			note(journal.Key(q.Once), nil)
		}
	}
	for i, q := range all {
		once, forCall := done[journal.Key(q.Once)]
		solve, forSolve := done[journal.Key(q.Solve)]
		all[i].Open, all[i].Answer = !forCall && !forSolve, cmp.Or(once, solve)
	}
	return all, nil
}

// Asked returns the questions of a thread that are open.
func Asked(j journal.Reader, thread string) (open []tools.Question, err error) {
	all, err := Questions(j)
	for _, q := range all {
		if q.Open && q.Once.Thread == thread {
			open = append(open, q.Question)
		}
	}
	return open, err
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
