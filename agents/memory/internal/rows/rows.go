// Package rows converts facts to the rows that stores keep.
package rows

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory"
)

// A Row is a fact with the columns that stores select by.
type Row struct {
	ID, Category  string
	State         memory.State
	Time, Expires int64    // nanoseconds since 1970
	Links         []string // under which the fact is found
	Body          string   // the fact in JSON
}

// Of returns the row of a fact.
func Of(f *memory.Fact) (Row, error) {
	body, err := json.Marshal(f)
	if err != nil {
		return Row{}, fmt.Errorf("memory: fact %s: %w", f.ID, err)
	}
	r := Row{f.ID, f.Category, f.State(), Nanos(f.Time(), math.MinInt64), Nanos(f.Expires(), math.MaxInt64), nil, string(body)}
	for i := range f.Said {
		r.Links = append(r.Links, Source(f.Said[i].Source))
		for _, from := range f.Said[i].From {
			r.Links = append(r.Links, From(from))
		}
	}
	return r, nil
}

// Read returns the fact of a body. The error wraps [memory.ErrCorrupt].
func Read(body string) (f memory.Fact, err error) {
	if err := json.Unmarshal([]byte(body), &f); err != nil {
		return f, fmt.Errorf("%w: a fact: %w", memory.ErrCorrupt, err)
	}
	return f, nil
}

// Source returns the link to the facts of which a source made a statement.
func Source(name string) string { return "source " + name }

// From returns the link to the facts that were derived from one.
func From(id string) string { return "from " + id }

// Nanos returns a time in nanoseconds since 1970, or other for the zero time.
func Nanos(t time.Time, other int64) int64 {
	if t.IsZero() {
		return other
	}
	return t.UnixNano()
}
