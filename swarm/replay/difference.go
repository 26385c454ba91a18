package replay

import (
	"errors"
	"fmt"
)

// A Difference is the first position at which a log differs from what is
// derived from it.
type Difference struct {
	Seq     uint64 // of the signal
	Thread  string
	What    string // what was derived, such as a conflict or a decision
	Log     string // what the log says
	Derived string
}

func (d *Difference) Error() string {
	return fmt.Sprintf("replay: signal %d in %s: %s: the log says %s, derived is %s", d.Seq, d.Thread, d.What, d.Log, d.Derived)
}

// ErrStrategy is returned for a decision that cannot be derived because its
// strategy is not part of this library. The log may still be right.
var ErrStrategy = errors.New("replay: unknown strategy")
