package models

import (
	"cmp"
	"context"
	"sync"
)

// Scripted is a model that answers with the results of Answer: for tests, and
// for rule-based agents among agents that call a model.
type Scripted struct {
	Name string // "": "scripted"
	// Answer is called by the goroutine that called Ask, and possibly
	// concurrently.
	Answer func(ctx context.Context, r *Request) (*Answer, error)
}

// Script returns a model that gives these answers one after the other and then
// fails with [ErrScript].
func Script(texts ...string) *Scripted {
	var mu sync.Mutex // protects texts
	s := &Scripted{}
	s.Answer = func(context.Context, *Request) (*Answer, error) {
		mu.Lock()
		defer mu.Unlock()
		if len(texts) == 0 {
			return nil, &Error{Model: s.ID(), Problem: ErrScript, Unbilled: true}
		}
		text := texts[0]
		texts = texts[1:]
		return Text(text), nil
	}
	return s
}

// Text returns a complete answer with that text, counted as one token for about
// every four bytes.
func Text(text string) *Answer {
	return &Answer{Text: text, Finish: FinishStop, Usage: Usage{Output: (len(text) + 3) / 4}}
}

// ID implements [Model]: the provider is "scripted".
func (s *Scripted) ID() ID {
	name := cmp.Or(s.Name, "scripted")
	return ID{"scripted", name}
}

// Ask implements [Model]. The answer's text is shown in one piece.
func (s *Scripted) Ask(ctx context.Context, r *Request) (*Answer, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	a, err := s.Answer(ctx, r)
	if err == nil && r.Show != nil && a.Text != "" {
		r.Show(Piece{Text: a.Text})
	}
	return a, err
}
