package memory

import (
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// system is the source of the signals that a driver publishes itself.
const system = "system"

// A thread is what the signals of a thread have said so far: a fold of its log, so that a
// claim does not cost a look at all that was said before it.
type thread struct {
	read     int        // signals of the log that were read
	last     signals.ID // the newest of them
	said     map[string]*said
	shown    map[signals.ID][]string // facts that a signal shows
	returned map[string]returned     // by source
}

// returned is what tools returned to a source in its newest turn with a result.
type returned struct {
	round int32
	words map[string]bool // see pairs
}

// said is what a thread has said of a fact.
type said struct {
	first    int32           // the earliest round
	begun    bool            // the system said it
	recalled map[string]bool // sources that recalled it by the tool
	words    map[string]bool // in which it and its evidence were stated: see pairs
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
	if t.said[own].repeatedBy(&h, c.Evidence, t.returned[h.Source]) {
		c.From = append(c.From, own)
	}
	slices.Sort(c.From)
	c.From = slices.Compact(c.From)
	return c, true
}

// hear adds the next signal of the thread.
func (t *thread) hear(s signals.Any) {
	if t.said == nil {
		t.said, t.shown, t.returned = map[string]*said{}, map[signals.ID][]string{}, map[string]returned{}
	}
	h := s.Head()
	if r, ok := s.Body().(signals.ToolResult); ok && r.Witnessed && r.ToolName != toolName && r.TriggeredBy == h.Source {
		got := t.returned[h.Source]
		if got.words == nil || got.round != h.Round {
			got = returned{h.Round, map[string]bool{}}
			t.returned[h.Source] = got
		}
		pairs(got.words, r.Result)
	}
	shown, recalls := shows(s)
	for _, c := range shown {
		id := c.ID()
		t.shown[h.ID] = append(t.shown[h.ID], id)
		f := t.said[id]
		if f == nil {
			f = &said{first: h.Round, recalled: map[string]bool{}, words: map[string]bool{}}
			t.said[id] = f
		}
		f.first, f.begun = min(f.first, h.Round), f.begun || h.Source == system
		pairs(f.words, c.Content)
		pairs(f.words, c.Evidence)
		if recalls {
			f.recalled[h.Source] = true
		}
	}
}

// repeatedBy reports whether a signal with some evidence repeats what its source had heard. It does not if the evidence
// quotes what a tool returned to the source in the same turn, in words that nobody had stated the fact with: evidence
// in other words may be that of others, told once more.
func (f *said) repeatedBy(h *signals.Header, evidence string, got returned) bool {
	if f == nil || f.first >= h.Round && !f.begun && !f.recalled[h.Source] {
		return false
	}
	if got.round != h.Round {
		return true
	}
	quoted := map[string]bool{}
	pairs(quoted, evidence)
	for words := range quoted {
		if got.words[words] && !f.words[words] {
			return false
		}
	}
	return true
}

// pairs adds the neighboring words of a text: single ones, such as "found", are in any text.
func pairs(all map[string]bool, s string) {
	words := strings.Fields(text.Plain(s))
	for i := 1; i < len(words); i++ {
		all[words[i-1]+" "+words[i]] = true
	}
}
