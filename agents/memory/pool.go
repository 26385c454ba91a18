package memory

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/signals"
)

// Options of a [Pool]. Store is required; the zero values of the other fields have the
// meanings given.
type Options struct {
	Store    Store           // the caller closes it
	Embedder models.Embedder // nil: Hashed
	// Lifetime is how long a statement counts after its time; 0: forever.
	Lifetime time.Duration
	// Most and Bytes bound what a solve begins with, as in [Query]; Quarantined gives it
	// facts that nobody confirmed, too.
	Most, Bytes int
	Quarantined bool
	Clock       func() time.Time // nil: time.Now
}

// A Pool is what agents know from earlier solves. It is safe for concurrent use.
type Pool struct {
	o      Options
	length atomic.Int64 // of the embedder's vectors, where the store has those of another length; else 0

	mu      sync.Mutex // protects the field below
	threads map[string]*thread
}

// mostThreads is how many threads a pool goes on reading; it begins anew with all when there
// are more.
const mostThreads = 64

// New returns a pool. The error is a [*signals.FieldError] for the first option that
// breaks a rule.
func New(o Options) (*Pool, error) {
	if o.Store == nil {
		return nil, &signals.FieldError{Field: "memory.store", Problem: "required"}
	}
	if o.Lifetime < 0 {
		return nil, &signals.FieldError{Field: "memory.lifetime", Value: o.Lifetime.String(), Problem: "negative"}
	}
	o.Embedder = cmp.Or(o.Embedder, Hashed())
	if o.Clock == nil {
		o.Clock = time.Now
	}
	q := o.query("x")
	return &Pool{o: o, threads: map[string]*thread{}}, q.validate()
}

func (o *Options) query(text string) Query {
	return Query{Text: text, Quarantined: o.Quarantined, Most: o.Most, Bytes: o.Bytes}
}

// Remember stores claims: all of them or, with an error, none. It asks no model.
// Claims whose signals are already stored are ignored.
func (p *Pool) Remember(ctx context.Context, claims ...Claim) error {
	if err := problem(claims); err != nil {
		return err
	}
	return p.o.Store.Change(ctx, factsOf(claims), func(facts map[string]Fact) []Fact {
		changed := map[string]Fact{}
		for _, c := range claims {
			if p.o.Lifetime > 0 && c.Expires.IsZero() {
				c.Expires = c.Time.Add(p.o.Lifetime)
			}
			if f := add(facts, c); f != nil {
				changed[f.ID] = *f
			}
		}
		return inOrder(changed)
	})
}

// Keep stores what the last signal of a log states ([ClaimOf]), if it states anything. Of a
// log that has grown since, it reads what is new.
func (p *Pool) Keep(ctx context.Context, log []signals.Any, group string) error {
	c, ok := p.claim(log, group)
	if !ok {
		return nil
	}
	return p.Remember(ctx, c)
}

func (p *Pool) claim(log []signals.Any, group string) (Claim, bool) {
	if len(log) == 0 {
		return Claim{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	name := log[len(log)-1].Head().Thread
	if t := p.threads[name]; t == nil || !t.begins(log[:len(log)-1]) {
		if len(p.threads) >= mostThreads {
			clear(p.threads)
		}
		p.threads[name] = &thread{}
	}
	return p.threads[name].claim(log, group)
}

// Brief returns what a solve of a task should begin with: see briefing. It removes the
// facts that have expired.
func (p *Pool) Brief(ctx context.Context, task signals.Task) ([]signals.Any, error) {
	if _, err := p.o.Store.Sweep(ctx, p.o.Clock()); err != nil {
		return nil, err
	}
	found, err := p.Recall(ctx, p.o.query(task.Task))
	return briefing(found), err
}

// Recall returns the best facts for a query, best first. Of those that the query lets
// pass, the closest in meaning (64, or four times as many as the query wants) are ranked by
// their similarity, importance, age and state. Facts that are new get their vectors first;
// if there are more than 256, it returns a [*StaleError]. A text whose vector is zero, as that of a text without words may
// be, recalls nothing.
func (p *Pool) Recall(ctx context.Context, q Query) ([]Found, error) {
	if err := q.validate(); err != nil {
		return nil, err
	}
	if err := p.catchUp(ctx); err != nil {
		return nil, err
	}
	vectors, err := p.vectors(ctx, q.Text)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(vectors[0], func(x float32) bool { return x != 0 }) {
		return nil, nil
	}
	if err := CheckVector(p.model(), vectors[0], 0); err != nil {
		return nil, err
	}
	found, err := p.nearest(ctx, q, vectors[0])
	if !p.resized(err, len(vectors[0])) {
		return found, err
	}
	if err := p.catchUp(ctx); err != nil {
		p.forget(err)
		return nil, err
	}
	return p.nearest(ctx, q, vectors[0])
}

func (p *Pool) nearest(ctx context.Context, q Query, v []float32) ([]Found, error) {
	now := p.o.Clock()
	near, err := p.o.Store.Nearest(ctx, p.model(), v, Filter{
		Now: now, Confirmed: !q.Quarantined, Categories: q.Categories, Since: q.Since, Until: q.Until,
	}, q.candidates())
	return rank(near, &q, now), err
}

// Revoke revokes all that a source has stated so far and all that was derived only from
// that, and says what fell, and which of the decisions had known it. What the source states
// from now on counts as from a new source.
func (p *Pool) Revoke(ctx context.Context, source string, decisions ...Decision) (*Revocation, error) {
	if err := (signals.Limits{}).Name("source", source); err != nil {
		return nil, err
	}
	before, after := map[string]Fact{}, map[string]Fact{}
	for {
		facts, err := p.dependents(ctx, source)
		if err != nil {
			return nil, err
		}
		var was map[string]Fact
		var changed []Fact
		err = p.o.Store.Change(ctx, idsOf(facts), func(now map[string]Fact) []Fact {
			was, changed = now, revoke(now, source)
			return changed
		})
		if err != nil {
			return nil, err
		}
		if len(changed) == 0 { // nobody added anything meanwhile that depends on it
			return revocation(source, before, after, decisions), nil
		}
		for _, f := range changed {
			if _, known := before[f.ID]; !known {
				before[f.ID] = was[f.ID]
			}
			after[f.ID] = f
		}
	}
}

// dependents returns the facts that a source stated, and all that was derived from them.
func (p *Pool) dependents(ctx context.Context, source string) (map[string]Fact, error) {
	linked, err := p.o.Store.Linked(ctx, source)
	all := by(linked)
	for err == nil && len(linked) > 0 {
		var from []string
		for _, f := range linked {
			from = append(from, f.ID)
		}
		linked, err = p.o.Store.Linked(ctx, "", from...)
		var fresh []Fact
		for _, f := range linked {
			if _, known := all[f.ID]; !known {
				all[f.ID] = f
				fresh = append(fresh, f)
			}
		}
		linked = fresh
	}
	return all, err
}
