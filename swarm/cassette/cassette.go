package cassette

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/bus/journal"
)

// Model returns a model that calls m if by has no recorded answer.
func Model(m models.Model, by journal.Caller) models.Model {
	return &recorded{id: m.ID(), model: m, by: by, places: newPlaces()}
}

// Answers is like [Model] but records only answers, for a run that will be continued:
// a call that failed is made again.
func Answers(m models.Model, by journal.Caller) models.Model {
	return &recorded{id: m.ID(), model: m, by: by, places: newPlaces(), answers: true}
}

// Replay returns a model that answers only from the records of the model with
// that id. Other requests fail with a [*journal.MissError]. It serves one solve, since it
// counts the calls of each turn: another solve needs another model.
func Replay(id models.ID, from journal.Caller) models.Model {
	return &recorded{id: id, by: from, places: newPlaces()}
}

type recorded struct {
	id    models.ID
	model models.Model // nil: replay only
	by    journal.Caller

	places  *places
	answers bool // record only answers
}

// ID implements [models.Model].
func (r *recorded) ID() models.ID { return r.id }

// An entry is the record of a call: an answer or a failure.
type entry struct {
	Answer *models.Answer `json:"answer,omitempty"`
	Failed *failure       `json:"failed,omitempty"`
	Took   time.Duration  `json:"took,omitempty"`   // by a clock, so only in the record of a run that will be continued
	Unpaid bool           `json:"unpaid,omitempty"` // no answer: calls of the request could not be paid for
}

type failure struct {
	Problem  string        `json:"problem"`
	Status   int           `json:"status,omitempty"`
	After    time.Duration `json:"after,omitempty"`
	Detail   string        `json:"detail,omitempty"`
	Unbilled bool          `json:"unbilled,omitempty"`
	Final    bool          `json:"final,omitempty"`
}

// Ask implements [models.Model]. A recorded answer is shown in one piece.
func (r *recorded) Ask(ctx context.Context, q *models.Request) (*models.Answer, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	key, err := r.key(ctx, q)
	if err != nil {
		return nil, err
	}
	asked := false
	text, err := r.by.Do(ctx, key, func(ctx context.Context) ([]byte, error) {
		asked = true
		began := time.Now()
		a, err := r.model.Ask(ctx, q)
		switch {
		case !r.answers:
			return written(a, err)
		case err != nil:
			return nil, err
		}
		return json.Marshal(entry{Answer: a, Took: time.Since(began)})
	})
	if miss := (*journal.MissError)(nil); errors.As(err, &miss) && miss.Other == "" && key.Call > 0 {
		return nil, fmt.Errorf("%w: the model of a cassette serves one solve", err)
	}
	if err != nil {
		return nil, err
	}
	a, err := r.read(text)
	if err == nil && !asked && q.Show != nil && a.Text != "" {
		q.Show(models.Piece{Text: a.Text})
	}
	return a, err
}

// written returns the record of a result; errors that are not recorded are
// returned.
func written(a *models.Answer, err error) ([]byte, error) {
	var failed *models.Error
	switch {
	case err == nil:
		return json.Marshal(entry{Answer: a})
	case errors.As(err, &failed):
		return json.Marshal(entry{Failed: &failure{failed.Problem.Error(), failed.Status, failed.After, failed.Detail, failed.Unbilled, failed.Final}})
	default:
		return nil, err
	}
}

func (r *recorded) read(text []byte) (*models.Answer, error) {
	var e entry
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, err
	}
	if f := e.Failed; f != nil {
		problem := models.ProblemOf(f.Problem)
		return nil, &models.Error{Model: r.id, Problem: problem, Status: f.Status, After: f.After, Detail: f.Detail, Unbilled: f.Unbilled, Final: f.Final}
	}
	if e.Answer == nil {
		return nil, errors.New("cassette: the record has neither an answer nor a failure")
	}
	return e.Answer, nil
}

// key returns the key of a call: its place in the turn, and the request.
func (r *recorded) key(ctx context.Context, q *models.Request) (journal.Key, error) {
	text, err := r.request(q)
	if err != nil {
		return journal.Key{}, err
	}
	return r.places.next(ctx, text), nil
}

// request returns everything that an answer depends on.
func (r *recorded) request(q *models.Request) ([]byte, error) {
	return json.Marshal(struct {
		Model   models.ID       `json:"model"`
		Request *models.Request `json:"request"`
	}{r.id, q})
}

// places are those of calls in their turns.
type places struct {
	mu    sync.Mutex // protects the field below
	calls map[place]int
}

// A place is a turn, each time it is taken: a turn that is taken again makes the same calls.
type place struct {
	journal.Key
	taking int
}

func newPlaces() *places { return &places{calls: map[place]int{}} }

// next is the place of a call that is about to be made.
func (p *places) next(ctx context.Context, request []byte) journal.Key {
	at, hash := place{}, journal.HashRequest(request)
	if t := agents.TurnOf(ctx); t != nil {
		at = place{journal.Key{Thread: t.Thread, Agent: t.Agent, Turn: t.Round}, t.Taking}
	} else {
		at.Request = hash // calls outside of turns have no order: equal requests are counted
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	k := at.Key
	k.Call, k.Request = p.calls[at], hash
	p.calls[at]++
	return k
}
