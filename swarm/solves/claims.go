package solves

import "github.com/swarmbus/swarmbus/swarm/claims"

// Claims returns what the answer stands on: the claims in the log and their links. It is
// made at each call, in a few microseconds for each signal.
func (r *Result) Claims() *claims.Graph { return claims.Of(r.Log, r.Proposals) }
