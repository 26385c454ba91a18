package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Store keeps facts and their vectors. Package memorytest has a test suite of this
// contract. All methods are safe for concurrent use, also by several processes with one
// store. What they store is there for all that begin later, also after the process was killed.
type Store interface {
	// Change calls change with the facts of those ids that are stored, and stores those
	// that it returns, which have some of the ids: all of them or, with an error, none.
	// Between the two nobody else changes facts. change has to be quick, may be called
	// again, and may modify the map.
	Change(ctx context.Context, ids []string, change func(map[string]Fact) []Fact) error
	// Linked returns the facts of which a source made a statement, and those of which a
	// statement was derived from one of the facts given, in the order of their ids. "" is
	// no source.
	Linked(ctx context.Context, source string, from ...string) ([]Fact, error)
	// SetVectors stores the vectors of facts in a model. An empty vector says that a fact
	// has none. Facts that are not stored are left out. The first vector of a model
	// determines the length of all. It refuses others, and vectors without a direction
	// ([CheckVector]), with a [*VectorError] and stores none then.
	SetVectors(ctx context.Context, model string, vectors map[string][]float32) error
	// Missing returns facts, up to a number of them, for which SetVectors was not called
	// in a model, in the order of their ids, and how many there are in all. Revoked facts
	// are left out.
	Missing(ctx context.Context, model string, most int) (facts []Fact, all int, err error)
	// Nearest returns the facts with the vectors in a model that are closest to one, at
	// most k of those that the filter lets pass, closest first, and among equals by their ids. It returns a
	// [*VectorError] for a vector of another length than the model's.
	Nearest(ctx context.Context, model string, vector []float32, f Filter, k int) ([]Near, error)
	// Sweep removes the facts that have expired at now, with their vectors, and returns how
	// many. Revoked facts never expire: their statements would come back.
	Sweep(ctx context.Context, now time.Time) (int, error)
	// Close ends the use of the store. It may be called more than once.
	Close() error
}

// A Filter says which facts to look at: all that are not revoked and, at Now, not expired.
type Filter struct {
	Now          time.Time
	Confirmed    bool      // only confirmed ones
	Categories   []string  // only of these; nil: of all
	Since, Until time.Time // bounds of [Fact.Time], inclusive; zero: none
}

// A Near is a fact and the cosine of the angle between its vector and one that was given.
type Near struct {
	Fact
	Similarity float64
}

// ErrClosed is returned by a store that was closed.
var ErrClosed = errors.New("memory: the store is closed")

// ErrCorrupt is wrapped by errors of stores whose data cannot be read.
var ErrCorrupt = errors.New("memory: the store is corrupt")

// A VectorError is returned for a vector that cannot be stored or compared.
type VectorError struct {
	Model   string
	Problem string
	Length  int // of the model's other vectors, which is another one; 0: that is not the problem
}

func (e *VectorError) Error() string {
	return fmt.Sprintf("memory: vector of %s: %s", e.Model, e.Problem)
}

// Unwrap returns [signals.ErrInvalid].
func (e *VectorError) Unwrap() error { return signals.ErrInvalid }

// MostDimensions is the maximum length of a vector.
const MostDimensions = 8192

// CheckVector returns a [*VectorError] for a vector without a direction: an empty one, one
// of zeros, or one with a NaN or an infinity; and for one that is not of a length, unless
// length is 0.
func CheckVector(model string, v []float32, length int) error {
	if len(v) == 0 || len(v) > MostDimensions {
		return &VectorError{model, fmt.Sprintf("%d numbers, not 1 to %d", len(v), MostDimensions), 0}
	}
	if length > 0 && len(v) != length {
		return &VectorError{model, fmt.Sprintf("%d numbers, where the others have %d", len(v), length), length}
	}
	if !directed(v) {
		return &VectorError{model, "it has no direction: it is zero, too large or has a NaN", 0}
	}
	return nil
}

// directed reports whether the sum of the squares is a number above zero, also in 32 bits,
// in which stores compute.
func directed(v []float32) bool {
	sum := float32(0)
	for _, x := range v {
		sum += x * x
	}
	return sum > 0 && !math.IsInf(float64(sum), 0)
}
