package reports

import (
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A ledger is the gate's state of one worker.
type ledger struct {
	turns    recent[string, turn]
	claims   recent[claimKey, mark]
	reasons  recent[reasonKey, mark]
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

type claimKey struct {
	task string
	part Part
	text textHash
}

type reasonKey struct {
	kind EscalationKind
	text textHash
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
	h := signals.HeadOf(s)
	if h.Time.After(g.now) {
		g.now = h.Time
	}
	if d, ok := signals.As[Decided](s); ok {
		g.decided(d)
		return
	}
	if s.Kind() == KindAdvisory {
		return
	}
	l := g.workers[h.Source]
	if l == nil {
		l = &ledger{counts: map[string]*Counts{}}
		g.workers[h.Source] = l
	}
	l.apply(s, g.now, g.opts.Keep)
}

func ours(k signals.Kind) bool { return slices.Contains(allKinds, k) }

var allKinds = Kinds()

func (l *ledger) apply(s signals.Any, now time.Time, keep int) {
	h := signals.HeadOf(s)
	if p, ok := signals.As[Received](s); ok {
		l.latest = p.Payload.TurnID
		l.turns.put(l.latest, turn{p.Payload.Digest, new(Receipt)}, keep)
	}
	if t, known := l.turns.get(turnOf(s)); known && turnOf(s) == l.latest {
		t.receipt.add(s)
	}
	at := mark{now, h.ID}
	switch p := s.Body().(type) {
	case ResearchFinding:
		l.finding(h, &p.Finding, at, keep)
	case WorkerFinding:
		l.finding(h, &p.Finding, at, keep)
	case ResearchLearning:
		l.claims.put(claimKey{h.Thread, PartLearning, hashOf(p.Insight)}, at, keep)
	case WorkerLearning:
		l.claims.put(claimKey{h.Thread, PartLearning, hashOf(p.Insight)}, at, keep)
	case Requested:
		l.request(h, p, at, keep)
	}
	l.count(s)
}

// turnOf returns the turn that a signal of a report belongs to; a refused
// report has none.
func turnOf(s signals.Any) string {
	switch p := s.Body().(type) {
	case Rejected:
		if p.Part == PartReport {
			return ""
		}
		return p.TurnID
	case interface{ turn() string }:
		return p.turn()
	}
	return ""
}

func (o Origin) turn() string { return o.TurnID }

func (l *ledger) finding(h *signals.Header, f *Finding, at mark, keep int) {
	l.claims.put(claimKey{h.Thread, PartFinding, hashOf(f.Claim)}, at, keep)
	l.findings.put(findingKey{h.Thread, f.FindingID}, struct{}{}, keep)
	l.signals.put(findingKey{h.Thread, h.ID.String()}, struct{}{}, keep)
}

func (l *ledger) request(h *signals.Header, p Requested, at mark, keep int) {
	r := &Request{Seq: h.Seq, ID: h.ID, Worker: h.Source, Task: h.Thread, Time: h.Time, Requested: p}
	l.reasons.put(reasonKey{p.Escalation.Kind, hashOf(p.Reason)}, at, keep)
	l.requests.put(h.ID, r, keep)
	l.open = slices.DeleteFunc(l.open, func(o *Request) bool { return o.expired(at.at) })
	l.open = append(l.open, r)
}

// accepted reports whether ref names an accepted finding on the task: one of the
// worker's own by the worker's id, or any by the id of its signal.
func (g *Gate) accepted(worker, task, ref string) bool {
	key := findingKey{task, ref}
	if _, own := g.ledger(worker).findings.get(key); own {
		return true
	}
	for _, l := range g.workers {
		if _, there := l.signals.get(key); there {
			return true
		}
	}
	return false
}
