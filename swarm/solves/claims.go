package solves

import (
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/credit"
)

// Claims returns what the answer stands on: the claims in the log and their links. It is
// made at each call, in a few microseconds for each signal.
func (r *Result) Claims() *claims.Graph { return claims.Of(r.Log, r.Proposals) }

// Credit returns who moved the result, as revised if it is, the greatest credit first; see
// [credit.Of].
func (r *Result) Credit(o *credit.Options) (*credit.Account, error) {
	return credit.Of(r.standing(), r.Claims(), o)
}
