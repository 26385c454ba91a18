package memory

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/internal/text"
)

// model names the embedder in the store. A model whose vectors have got another length is another one.
func (p *Pool) model() string {
	name := p.o.Embedder.ID().String()
	if n := p.length.Load(); n > 0 {
		return fmt.Sprintf("%s of %d numbers", name, n)
	}
	return name
}

// resized reports whether an error says that the store has vectors of another length in the model,
// and names the model by the length of those that it makes now from here on.
func (p *Pool) resized(err error, length int) bool {
	var refused *VectorError
	if !errors.As(err, &refused) || refused.Length == 0 || refused.Length == length {
		return false
	}
	return p.length.CompareAndSwap(0, int64(length))
}

// forget takes back the length of one odd vector, which others do not have.
func (p *Pool) forget(err error) {
	if refused := (*VectorError)(nil); errors.As(err, &refused) {
		p.length.Store(0)
	}
}

const (
	page      = 256 * batch // facts that are listed at once, since a list looks at all that have no vector
	batch     = 64          // texts that an embedder gets at once
	mostLate  = 4 * batch
	mostBytes = 8 << 10 // of a text, which models of 8192 tokens accept
)

// A StaleError is returned by [Pool.Recall] if too many facts have no vector in the
// embedder's model: see [Pool.Embed].
type StaleError struct {
	Model   string
	Missing int
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("memory: %d facts have no vector of %s: embed them first", e.Missing, e.Model)
}

// Progress of [Pool.Embed].
type Progress struct {
	Done   int // facts so far
	Left   int
	Failed int // facts that the model gave no usable vector: they are not found by meaning
}

// Embed stores the vectors of all facts that have none in the embedder's model, as after
// a change of the model, and yields the progress after each 64. Vectors of other models stay,
// and are never compared with these. Ended early or by an error, it continues with the next call
// where it stood.
func (p *Pool) Embed(ctx context.Context) iter.Seq2[Progress, error] {
	return func(yield func(Progress, error) bool) {
		var done Progress
		for {
			facts, left, err := p.o.Store.Missing(ctx, p.model(), page)
			if err == nil && len(facts) == 0 {
				return
			}
			for of := range slices.Chunk(facts, batch) {
				err = p.embed(ctx, of, &done)
				left -= len(of)
				if done.Left = max(0, left); !yield(done, err) || err != nil {
					return
				}
			}
			if err != nil {
				yield(done, err)
				return
			}
		}
	}
}

// catchUp gives vectors to the facts that are new. Where the model's vectors have got another length, so
// that all are new, it gives them to some: each recall goes on with it, since nobody knew before.
func (p *Pool) catchUp(ctx context.Context) error {
	facts, all, err := p.o.Store.Missing(ctx, p.model(), mostLate)
	if err != nil {
		return err
	}
	if all > mostLate && p.length.Load() == 0 {
		return &StaleError{p.model(), all}
	}
	var done Progress
	for len(facts) > 0 {
		n := min(batch, len(facts))
		if err := p.embed(ctx, facts[:n], &done); err != nil {
			return err
		}
		facts = facts[n:]
	}
	return nil
}

// embed stores the vectors of facts.
func (p *Pool) embed(ctx context.Context, facts []Fact, done *Progress) error {
	texts := make([]string, len(facts))
	for i := range facts {
		texts[i] = facts[i].Content
	}
	vectors, err := p.vectors(ctx, texts...)
	if err != nil {
		return err
	}
	all := map[string][]float32{}
	for i, f := range facts {
		all[f.ID] = vectors[i]
		if !directed(vectors[i]) {
			all[f.ID] = nil
			done.Failed++
			continue
		}
		if err := CheckVector(p.model(), vectors[i], int(p.length.Load())); err != nil {
			return err
		}
	}
	err = p.o.Store.SetVectors(ctx, p.model(), all)
	if p.resized(err, len(vectors[0])) {
		err = p.o.Store.SetVectors(ctx, p.model(), all)
	}
	if err == nil {
		done.Done += len(facts)
	}
	return err
}

// vectors returns the vectors of texts, of which a long one counts with its beginning.
func (p *Pool) vectors(ctx context.Context, texts ...string) ([][]float32, error) {
	for i, said := range texts {
		texts[i] = text.Head(said, mostBytes)
	}
	v, err := models.Embed(ctx, p.o.Embedder, texts...)
	if err != nil {
		return nil, err
	}
	return v.All, nil
}
