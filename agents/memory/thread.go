package memory

import (
	"slices"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// system is the source of the signals that a driver publishes itself.
const system = "system"

// A thread is what the signals of a thread have said so far: a fold of its log, so that a
// claim does not cost a look at all that was said before it.
type thread struct {
	read  int        // signals of the log that were read
	last  signals.ID // the newest of them
	said  map[string]*said
	shown map[signals.ID][]string // facts that a signal shows
}

// said is what a thread has said of a fact.
type said struct {
	first    int32           // the earliest round
	begun    bool            // the system said it
	recalled map[string]bool // sources that recalled it by the tool
	evidence map[string]bool // as plain texts
}

// begins reports whether what was read is the beginning of a log.
func (t *thread) begins(log []signals.Any) bool {
	return t.read == 0 || t.read <= len(log) && !t.last.IsZero() && log[t.read-1].Head().ID == t.last
}

// claim reads what is new in a log, and returns what its last signal states: see [ClaimOf].
func (t *thread) claim(log []signals.Any, group string) (Claim, bool) {
	if len(log) == 0 {
		return Claim{}, false
	}
	last := log[len(log)-1]
	c, ok := stated(last)
	if !ok || last.Head().Source == system {
		return Claim{}, false
	}
	h := last.Head()
	for _, s := range log[t.read : len(log)-1] {
		if s.Head().Thread == h.Thread {
			t.hear(s)
		}
	}
	if n := len(log) - 1; n > 0 {
		t.read, t.last = n, log[n-1].Head().ID
	}
	c.Signal, c.Source, c.Group, c.Thread, c.Time = h.ID, h.Source, group, h.Thread, h.Time
	own := c.ID()
	for _, id := range t.shown[h.ReplyTo] {
		if id != own {
			c.From = append(c.From, id)
		}
	}
	if t.said[own].repeatedBy(&h, c.Evidence) {
		c.From = append(c.From, own)
	}
	slices.Sort(c.From)
	c.From = slices.Compact(c.From)
	return c, true
}

// hear adds the next signal of the thread.
func (t *thread) hear(s signals.Any) {
	if t.said == nil {
		t.said, t.shown = map[string]*said{}, map[signals.ID][]string{}
	}
	h := s.Head()
	shown, recalls := shows(s)
	for _, c := range shown {
		id := c.ID()
		t.shown[h.ID] = append(t.shown[h.ID], id)
		f := t.said[id]
		if f == nil {
			f = &said{first: h.Round, recalled: map[string]bool{}, evidence: map[string]bool{}}
			t.said[id] = f
		}
		f.first, f.begun = min(f.first, h.Round), f.begun || h.Source == system
		f.evidence[text.Plain(c.Evidence)] = true
		if recalls {
			f.recalled[h.Source] = true
		}
	}
}

// repeatedBy reports whether a signal with some evidence repeats what its source had heard.
func (f *said) repeatedBy(h *signals.Header, evidence string) bool {
	heard := f != nil && (f.first < h.Round || f.begun || f.recalled[h.Source])
	return heard && (evidence == "" || f.evidence[text.Plain(evidence)])
}
