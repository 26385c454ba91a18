package cassette

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
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

// Asks are the questions about calls of tools in a journal: a fold of its records, for those
// that follow it. In the log of several processes they are signals of the system
// ([tools.Payloads]). The zero value has none. It may not be used concurrently.
type Asks struct {
	all     []Question
	answers []tools.AnsweredCall
	done    map[journal.Key]*tools.Answer // nil: somebody has gone on without an answer
	asked   map[journal.Key]bool
	newest  time.Time // signal
}

// Apply takes the next record of the journal.
func (a *Asks) Apply(record *journal.Record) {
	if record.Type == journal.TypeSignal {
		a.newest = record.Time
		a.hear(record)
		return
	}
	var body toolRecord
	key, ok := resultIn(record, &body)
	if !ok {
		return
	}
	if body.Asked != nil {
		a.ask(*body.Asked)
	}
	a.note(key, body.Answered)
	for _, q := range body.Stopped {
		a.note(journal.Key(q.Once), nil)
	}
}

// hear takes a signal. Whatever others than the system say of calls of tools does not count.
func (a *Asks) hear(record *journal.Record) {
	if !bytes.Contains(record.Head, []byte(`"type":"tool:a`)) {
		return // most are about something else, and need not be decoded
	}
	s, err := record.Signal(saidOfCalls)
	if err != nil || s.Head().Source != bus.System {
		return
	}
	switch p := s.Body().(type) {
	case tools.AskedCall:
		if q, err := p.Question(); err == nil {
			a.ask(q)
		}
	case tools.AnsweredCall:
		a.note(journal.Key(p.Place), &p.Answer)
	}
}

var saidOfCalls = func() *signals.Codec {
	codec, err := signals.NewCodec(tools.Payloads()...)
	if err != nil {
		panic(err) // a test would see it
	}
	codec.Limits.TextBytes = -1 // a bus has validated them
	return codec
}()

func (a *Asks) ask(q tools.Question) {
	if a.asked[journal.Key(q.Once)] {
		return // a turn that is taken again asks again
	}
	if a.asked == nil {
		a.asked = map[journal.Key]bool{}
	}
	a.all = append(a.all, Question{Question: q, After: a.newest})
	a.asked[journal.Key(q.Once)] = true
}

func (a *Asks) note(k journal.Key, answer *tools.Answer) {
	if a.done == nil {
		a.done = map[journal.Key]*tools.Answer{}
	}
	if _, noted := a.done[k]; noted {
		return
	}
	a.done[k] = answer
	if answer != nil {
		a.answers = append(a.answers, tools.AnsweredCall{Place: tools.Place(k), Answer: *answer})
	}
}

// Answers returns the answers that count, for [tools.WithAnswers].
func (a *Asks) Answers() []tools.AnsweredCall { return slices.Clone(a.answers) }

// Questions returns the questions of all threads, in the order in which they were first asked.
func (a *Asks) Questions() []Question {
	all := slices.Clone(a.all)
	for i, q := range all {
		once, forCall := a.done[journal.Key(q.Once)]
		solve, forSolve := a.done[journal.Key(q.Solve)]
		all[i].Open, all[i].Answer = !forCall && !forSolve, cmp.Or(once, solve)
	}
	return all
}

// Questions returns the questions of all threads about calls of tools, in the order in
// which they were first asked.
func Questions(j journal.Reader) ([]Question, error) {
	a, err := AsksIn(j)
	if err != nil {
		return nil, err
	}
	return a.Questions(), nil
}

// AsksIn returns the questions about calls of tools in a journal, with their answers.
func AsksIn(j journal.Reader) (*Asks, error) {
	snapshot, err := j.Snapshot()
	if err != nil {
		return nil, err
	}
	a := new(Asks)
	for record, err := range j.Read(snapshot.Through) {
		if err != nil {
			return nil, err
		}
		a.Apply(&record)
	}
	return a, nil
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
