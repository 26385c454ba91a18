package signals

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// Recipients are the agents that a signal is for. The zero value means every
// subscriber. Recipients are immutable, so signals may share them.
type Recipients struct {
	names *[]string // sorted, distinct, not empty; one word keeps headers small
}

// To returns recipients with the given names, in any order, duplicates removed;
// without names, everyone.
func To(names ...string) Recipients {
	if len(names) == 0 {
		return Recipients{}
	}
	names = slices.Clone(names)
	slices.Sort(names)
	names = slices.Compact(names)
	return Recipients{&names}
}

// Everyone reports whether r names no one in particular.
func (r Recipients) Everyone() bool { return r.names == nil }

// IsZero is [Recipients.Everyone], for encoding/json's omitzero.
func (r Recipients) IsZero() bool { return r.Everyone() }

// Include reports whether a signal for r is for the agent with that name.
func (r Recipients) Include(name string) bool {
	if r.Everyone() {
		return true
	}
	_, found := slices.BinarySearch(*r.names, name)
	return found
}

// All returns the names in sorted order; none for everyone.
func (r Recipients) All() iter.Seq[string] {
	if r.Everyone() {
		return func(func(string) bool) {}
	}
	return slices.Values(*r.names)
}

// Names returns a copy of the names in sorted order; nil for everyone.
func (r Recipients) Names() []string {
	if r.Everyone() {
		return nil
	}
	return slices.Clone(*r.names)
}

// Equal reports whether r and other name the same agents.
func (r Recipients) Equal(other Recipients) bool {
	if r.Everyone() || other.Everyone() {
		return r.names == other.names
	}
	return slices.Equal(*r.names, *other.names)
}

// String returns the names with commas between, or "everyone".
func (r Recipients) String() string {
	if r.Everyone() {
		return "everyone"
	}
	return strings.Join(*r.names, ",")
}

// MarshalJSON returns the names as an array.
func (r Recipients) MarshalJSON() ([]byte, error) {
	return json.Marshal(slices.AppendSeq([]string{}, r.All()))
}

// UnmarshalJSON reads an array of names; empty or null, it is everyone.
func (r *Recipients) UnmarshalJSON(data []byte) error {
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	*r = To(names...)
	return nil
}

// check limits the length of each name, and of all names together to that of
// one text.
func (r Recipients) check() error {
	if r.Everyone() {
		return nil
	}
	var l Limits
	total := 0
	for _, name := range *r.names {
		if err := l.Name("recipients", name); err != nil {
			return err
		}
		total += len(name)
	}
	return l.length("recipients", (*r.names)[0], total)
}
