package solves

import "github.com/swarmbus/swarmbus/swarm/talk"

// Talk returns what hearing each other changed: flips, unanimity before and after, and how
// many challenged something. It is derived from the log at each call.
func (r *Result) Talk() *talk.Diagnosis { return talk.Of(r.Log) }
