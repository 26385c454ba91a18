package models

import (
	"context"
	"fmt"
	"math"

	"github.com/swarmbus/swarmbus/signals"
)

// An Embedder maps texts to vectors: texts with similar meanings have vectors of
// similar direction. It is safe for concurrent use.
type Embedder interface {
	// ID returns the provider and the model. It is constant.
	ID() ID
	// Embed returns a vector for each text, all of the same length, by one call
	// of the provider. Its errors are those of [Model].Ask.
	Embed(ctx context.Context, texts ...string) (*Vectors, error)
}

// Vectors are the response of an [Embedder].
type Vectors struct {
	All   [][]float32 // one for each text
	Usage Usage       // of input alone
	Cost  Money       // if the price is known
}

// ModelOf returns an embedder as a model, so that it can have what models have, such as
// a budget or a cassette: the texts are the request's messages, and the vectors are in
// the answer. [EmbedderOf] makes an embedder of it again:
//
//	e = models.EmbedderOf(shared.Limit(models.ModelOf(e)))             // package limits
//	e = models.EmbedderOf(cassette.Model(models.ModelOf(e), recorder)) // package cassette
func ModelOf(e Embedder) Model { return embedding{e} }

type embedding struct{ e Embedder }

func (m embedding) ID() ID { return m.e.ID() }

func (m embedding) Ask(ctx context.Context, r *Request) (*Answer, error) {
	texts := make([]string, len(r.Messages))
	for i := range r.Messages {
		texts[i] = r.Messages[i].Text
	}
	v, err := m.e.Embed(ctx, texts...)
	if err != nil {
		return nil, err
	}
	return &Answer{Vectors: v.All, Finish: FinishStop, Usage: v.Usage, Cost: v.Cost}, nil
}

// EmbedderOf returns the embedder of a model that [ModelOf] made, however that model has been wrapped since.
func EmbedderOf(m Model) Embedder { return embedder{m} }

type embedder struct{ m Model }

func (e embedder) ID() ID { return e.m.ID() }

func (e embedder) Embed(ctx context.Context, texts ...string) (*Vectors, error) {
	a, err := e.m.Ask(ctx, toEmbed(texts))
	if err != nil {
		return nil, err
	}
	return vectorsOf(a, e.ID(), len(texts))
}

// Embed asks an embedder for vectors, as [Ask] asks a model: the hook that ctx carries sees
// the call, and the turn that ctx belongs to is charged for it.
func Embed(ctx context.Context, e Embedder, texts ...string) (*Vectors, error) {
	a, err := Ask(ctx, ModelOf(e), toEmbed(texts))
	if err != nil {
		return nil, err
	}
	return vectorsOf(a, e.ID(), len(texts))
}

// vectorsOf returns the vectors of an answer, which has to have one for each text.
func vectorsOf(a *Answer, id ID, texts int) (*Vectors, error) {
	if len(a.Vectors) != texts {
		return nil, &Error{Model: id, Problem: ErrMalformed, Detail: fmt.Sprintf("%d vectors of %d texts", len(a.Vectors), texts)}
	}
	return &Vectors{a.Vectors, a.Usage, a.Cost}, nil
}

// toEmbed returns the request for the vectors of texts. Its answer has no tokens, but a
// budget needs at least one to reserve.
func toEmbed(texts []string) *Request {
	r := &Request{Most: 1}
	for _, text := range texts {
		r.Messages = append(r.Messages, User(text))
	}
	return r
}

// Alike returns a function for swarm.Options that reports whether two proposals say
// the same: whether the cosine similarity of their contents is at least atLeast, which
// is at most 1. A useful value depends on the embedder: try it on your own proposals. If
// the embedder fails, the proposals are not alike; a hook that ctx carries sees the error
// ([hooks.OpModel]). For a budget or a cassette see [ModelOf].
func Alike(e Embedder, atLeast float64) func(ctx context.Context, earlier, later signals.Proposal) bool {
	return func(ctx context.Context, earlier, later signals.Proposal) bool {
		v, err := Embed(ctx, e, earlier.Content, later.Content)
		return err == nil && cosine(v.All[0], v.All[1]) >= atLeast
	}
}

// cosine returns the cosine similarity of two vectors, or NaN if it is
// undefined.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}
