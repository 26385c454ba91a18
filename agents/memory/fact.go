package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// A Fact is something that was said to be so, with everybody who said it.
type Fact struct {
	ID       string      `json:"id"` // [IDOf] its content
	Content  string      `json:"content"`
	Category string      `json:"category"` // that of the first statement
	Said     []Statement `json:"said"`     // oldest first; at most 64, and 8 of a group
	// LeftOut is how many statements are not among them because of these bounds. One that
	// is left out again, as after a restart, counts again.
	LeftOut int `json:"leftOut,omitempty"`
}

// A Statement is one source's statement of a fact.
type Statement struct {
	Signal     signals.ID `json:"signal"` // that stated it
	Source     string     `json:"source"`
	Group      string     `json:"group,omitempty"` // of sources with correlated errors; "": the source is on its own
	Thread     string     `json:"thread,omitempty"`
	Time       time.Time  `json:"time"`
	Importance float64    `json:"importance"`         // in [0,1]
	Evidence   string     `json:"evidence,omitempty"` // what the source gave as its reason
	From       []string   `json:"from,omitempty"`     // ids of the facts that it was derived from; the fact's own for an echo
	Expires    time.Time  `json:"expires,omitzero"`   // zero: never
	Revoked    bool       `json:"revoked,omitempty"`
}

// A Claim is a statement with what it states.
type Claim struct {
	Content  string
	Category string
	Statement
}

// ID returns the id of the fact that the claim states.
func (c *Claim) ID() string { return IDOf(c.Content) }

// A State says how far a fact can be relied on.
type State uint8

// The states of a fact.
const (
	Quarantined State = 1 + iota // stated, but not by two that are independent
	Confirmed                    // stated by two sources of different groups, independently
	Revoked                      // no statement of it stands
)

var states = signals.NewEnum[State]("state", "quarantined", "confirmed", "revoked")

// String returns the state's name.
func (s State) String() string { return states.String(s) }

// IDOf returns the id of the fact with a content. Contents are of one fact if their
// letters, digits and signs such as +, % and # are the same, in this order, apart from
// case: space and punctuation make no difference, words that mean the same do.
func IDOf(content string) string {
	sum := sha256.Sum256([]byte(text.Plain(content)))
	return "fact_" + hex.EncodeToString(sum[:12])
}

// at returns the fact with those of its statements that count at a time.
func (f Fact) at(now time.Time) Fact {
	f.Said = slices.DeleteFunc(slices.Clone(f.Said), func(s Statement) bool { return !s.Expires.IsZero() && !s.Expires.After(now) })
	return f
}

// State returns how far the fact can be relied on, by the statements that it has. Two sources of one group count as one,
// and what was derived or only repeated confirms nothing.
func (f *Fact) State() State {
	state, groups := Revoked, map[string]bool{}
	for s := range f.standing {
		state = Quarantined
		if s.independent() {
			groups[s.group()] = true
		}
	}
	if len(groups) > 1 {
		return Confirmed
	}
	return state
}

// group returns the name of the group, in a name space that differs from that of sources.
func (s *Statement) group() string {
	if s.Group != "" {
		return "group " + s.Group
	}
	return "source " + s.Source
}

// independent reports whether the statement stands and was not derived from anything.
func (s *Statement) independent() bool { return !s.Revoked && len(s.From) == 0 }

// standing yields the statements that are not revoked.
func (f *Fact) standing(yield func(*Statement) bool) {
	for i := range f.Said {
		if !f.Said[i].Revoked && !yield(&f.Said[i]) {
			return
		}
	}
}

// Importance returns the mean of what the standing statements say, in [0,1].
func (f *Fact) Importance() float64 {
	sum, n := 0.0, 0.0
	for s := range f.standing {
		sum, n = sum+s.Importance, n+1
	}
	return sum / max(n, 1)
}

// Time returns the time of the newest standing statement, or the zero time.
func (f *Fact) Time() (newest time.Time) {
	for s := range f.standing {
		if s.Time.After(newest) {
			newest = s.Time
		}
	}
	return newest
}

// Expires returns when the last standing statement expires; the zero time is never.
func (f *Fact) Expires() (last time.Time) {
	for s := range f.standing {
		if s.Expires.IsZero() {
			return s.Expires
		}
		if s.Expires.After(last) {
			last = s.Expires
		}
	}
	return last
}

// first returns the oldest standing statement, or nil.
func (f *Fact) first() (first *Statement) {
	for s := range f.standing {
		return s
	}
	return nil
}
