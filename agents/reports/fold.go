package reports

import (
	"crypto/sha256"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A ledger is the gate's state of one worker.
type ledger struct {
	turns    recent[string, *filed]
	claims   recent[claim, mark] // accepted claims, insights and reasons
	findings recent[findingKey, struct{}]
	requests []*Request // in log order: all that wait, and the newest others
	counts   map[string]*Counts
	latest   string // the turn whose signals are being read
}

// A filed is an accepted report.
type filed struct {
	digest  string
	signals []signals.Any
}

// A claim is what may not be repeated for a while.
type claim struct {
	scope string // the task, or the kind of an escalation
	part  Part
	text  [sha256.Size]byte // hash of the normalized text
}

func claimOf(scope string, part Part, text string) claim {
	return claim{scope, part, sha256.Sum256([]byte(normal(text)))}
}

// A findingKey identifies an accepted finding twice: by the worker's id and by the id
// of its signal.
type findingKey struct {
	task, ref string
	signal    bool
}

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
	g.now = later(g.now, h.Time)
	switch p := s.Body().(type) {
	case Decided:
		if r := g.request(p.Request); r != nil && r.Decision == nil {
			r.Decision = &p.Decision // the first one counts
		}
	case interface{ origin() Origin }:
		l := g.ledger(h.Source)
		g.workers[h.Source] = l
		l.apply(s, p.origin(), g.now, g.opts.Keep)
	}
}

func (l *ledger) apply(s signals.Any, from Origin, now time.Time, keep int) {
	h, c := s.Head(), l.countsOf(from.Model)
	switch p := s.Body().(type) {
	case Received:
		c.Reports++
		l.latest = from.TurnID
		l.turns.put(l.latest, &filed{digest: p.Digest}, keep)
	case Rejected:
		c.Rejected[p.Reason] += p.Count
		if p.Part == PartReport {
			return // of no accepted report
		}
	case item:
		part, id, text := p.about()
		c.Accepted[part]++
		l.accepted(&h, p, part, id, text, now, keep)
	}
	if t, known := l.turns.get(l.latest); known && from.TurnID == l.latest {
		t.signals = append(t.signals, s)
	}
}

func (l *ledger) accepted(h *signals.Header, it item, part Part, id, text string, now time.Time, keep int) {
	scope := h.Thread
	switch part {
	case PartFinding:
		l.findings.put(findingKey{task: h.Thread, ref: id}, struct{}{}, 2*keep)
		l.findings.put(findingKey{h.Thread, h.ID.String(), true}, struct{}{}, 2*keep)
	case PartEscalation:
		p := it.(Requested)
		scope = string(p.Escalation.Kind)
		l.request(&Request{Seq: h.Seq, ID: h.ID, Worker: h.Source, Task: h.Thread, Time: h.Time, Requested: p}, now, keep)
	case PartArtifact:
		return
	}
	l.claims.put(claimOf(scope, part, text), mark{now, h.ID}, keep)
}

// request remembers an escalation, and forgets the oldest ones that no longer wait.
func (l *ledger) request(r *Request, now time.Time, keep int) {
	l.requests = append(l.requests, r)
	excess := len(l.requests) - keep
	l.requests = slices.DeleteFunc(l.requests, func(r *Request) bool {
		if excess <= 0 || r.waits(now) {
			return false
		}
		excess--
		return true
	})
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
	if _, there := own.findings.get(findingKey{task: task, ref: ref}); there {
		return true
	}
	for _, l := range g.workers {
		if _, there := l.findings.get(findingKey{task, ref, true}); there {
			return true
		}
	}
	return false
}
