package asking

import (
	"cmp"
	"fmt"
)

// An Expiry says what follows when nobody has answered a question in time. In each case the call
// is denied, and the agent is told; "" is ExpiryDenies.
type Expiry string

// What may follow.
const (
	ExpiryDenies    Expiry = "deny"     // nothing else: the agent goes on
	ExpiryEscalates Expiry = "escalate" // somebody outside is asked what to do
	ExpiryStops     Expiry = "stop"     // the solve stops
)

// Expiries returns all of them.
func Expiries() []Expiry { return []Expiry{"", ExpiryDenies, ExpiryEscalates, ExpiryStops} }

// ByExpiry is who has answered a question that nobody answered in time.
const ByExpiry = "expiry"

// Expired returns the answer of a question that nobody has answered in time.
func (c Call) Expired() Answer {
	return Answer{ID: c.ID, Verdict: Deny, By: ByExpiry, Reason: fmt.Sprintf("nobody answered within %v", c.Expires), Shown: c.Shown()}
}

// Stops reports whether the solve stops when the question expires.
func (c Call) Stops() bool { return cmp.Or(c.OnExpiry, ExpiryDenies) == ExpiryStops }
