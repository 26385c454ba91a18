package solves

import "github.com/swarmbus/swarmbus/swarm/synthesis"

// Brief returns what the answer is written from.
func (r *Result) Brief() *synthesis.Brief {
	return &synthesis.Brief{Task: r.Task.Task, Decision: r.Decision, Graph: r.Claims(), Open: r.Open, Log: r.Log}
}

// Synthesis returns the answer as a text, with what it stands on, the dissent, the conflicts
// that are open and what would change it: as the log has it, or else by a template.
func (r *Result) Synthesis() synthesis.Written { return synthesis.Of(r.Brief()) }
