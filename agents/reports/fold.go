package reports

import (
	"crypto/sha256"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A ledger is the gate's state of one worker.
type ledger struct {
	turns    recent[string, turn]
	claims   recent[claim, mark]          // accepted claims, insights and reasons
	findings recent[findingKey, struct{}] // by the worker's ids
	signals  recent[findingKey, struct{}] // by the ids of their signals
	requests recent[signals.ID, *Request] // the newest; any that is open is in open
	open     []*Request                   // undecided; expired ones are dropped as the log grows
	counts   map[string]*Counts
	latest   string // the turn whose signals are being read
}

type turn struct {
	digest  string
	receipt *Receipt
}

// A claim is what may not be repeated for a while.
type claim struct {
	scope string // the task, or the kind of an escalation
	part  Part
	text  [sha256.Size]byte // hash of the normalized text
}

func claimOf(scope string, it item) claim {
	part, _, text := it.about()
	return claim{scope, part, sha256.Sum256([]byte(normal(text)))}
}

// A findingKey identifies a finding by the worker's id or by the id of its
// signal.
type findingKey struct{ task, ref string }

type mark struct {
	at time.Time
	id signals.ID
}

// Apply folds the next signal of the log. It must be called for every signal
// once, in log order; signals of other packages change nothing. To restore a
// gate, apply the log to a new one. Signals of the package that were read without
// [Payloads] count the same, see [Typed].
func (g *Gate) Apply(s signals.Any) {
	if !ours(s.Kind()) {
		return
	}
	s = Typed(s)
	h := s.Head()
	g.now = g.after(h.Time)
	switch p := s.Body().(type) {
	case Advisory:
		return
	case Decided:
		g.decided(p.Decision)
		return
	}
	l := g.workers[h.Source]
	if l == nil {
		l = &ledger{counts: map[string]*Counts{}}
		g.workers[h.Source] = l
	}
	l.apply(s, &h, g.now, g.opts.Keep)
}

func (l *ledger) apply(s signals.Any, h *signals.Header, now time.Time, keep int) {
	at := mark{now, h.ID}
	var c *Counts
	if p, ok := s.Body().(interface{ origin() Origin }); ok {
		c = l.countsOf(p.origin().Model)
	}
	if it, ok := s.Body().(item); ok {
		part, id, _ := it.about()
		c.Accepted[part]++
		l.accepted(h, it, part, id, at, keep)
	}
	switch p := s.Body().(type) {
	case Received:
		c.Reports++
		l.latest = p.TurnID
		l.turns.put(l.latest, turn{p.Digest, new(Receipt)}, keep)
	case Requested:
		l.request(h, p, now, keep)
	case Rejected:
		c.Rejected[p.Reason] += p.Count
	}
	if t, known := l.turns.get(l.latest); known && turnOf(s) == l.latest {
		t.receipt.add(s)
	}
}

func (l *ledger) accepted(h *signals.Header, it item, part Part, id string, at mark, keep int) {
	switch part {
	case PartFinding:
		l.findings.put(findingKey{h.Thread, id}, struct{}{}, keep)
		l.signals.put(findingKey{h.Thread, h.ID.String()}, struct{}{}, keep)
		l.claims.put(claimOf(h.Thread, it), at, keep)
	case PartLearning:
		l.claims.put(claimOf(h.Thread, it), at, keep)
	case PartEscalation:
		l.claims.put(claimOf(string(it.(Requested).Escalation.Kind), it), at, keep)
	}
}

func (l *ledger) request(h *signals.Header, p Requested, now time.Time, keep int) {
	r := &Request{Seq: h.Seq, ID: h.ID, Worker: h.Source, Task: h.Thread, Time: h.Time, Requested: p}
	l.requests.put(h.ID, r, keep)
	l.open = slices.DeleteFunc(l.open, func(o *Request) bool { return o.expired(now) })
	l.open = append(l.open, r)
}

// turnOf returns the turn that a signal of a report belongs to; a refused
// report has none.
func turnOf(s signals.Any) string {
	if p, ok := s.Body().(Rejected); ok && p.Part == PartReport {
		return ""
	}
	if p, ok := s.Body().(interface{ origin() Origin }); ok {
		return p.origin().TurnID
	}
	return ""
}

// maxModels limits the memory for a worker that names a different model each
// time.
const maxModels = 16

func (l *ledger) countsOf(model string) *Counts {
	if l.counts[model] == nil && len(l.counts) >= maxModels {
		model = "other"
	}
	if l.counts[model] == nil {
		l.counts[model] = &Counts{Accepted: Tally[Part]{}, Rejected: Tally[Reason]{}}
	}
	return l.counts[model]
}

// accepted reports whether ref names an accepted finding on the task: one of the
// worker's own by the worker's id, or any by the id of its signal.
func (g *Gate) accepted(own *ledger, task, ref string) bool {
	key := findingKey{task, ref}
	if _, there := own.findings.get(key); there {
		return true
	}
	for _, l := range g.workers {
		if _, there := l.signals.get(key); there {
			return true
		}
	}
	return false
}
