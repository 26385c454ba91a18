package solves

import (
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
)

// standing returns the decision by the votes that still count.
func (r *Result) standing() consensus.Decision {
	if r.Revision != nil {
		return r.Revision.Decision
	}
	return r.Decision
}

// Brief returns what the answer is written from: the revised decision, if there is one.
func (r *Result) Brief() *claims.Brief {
	return &claims.Brief{Task: r.Task.Task, Decision: r.standing(), Graph: r.Claims(), Open: r.open, Log: r.Log, Lost: Overruled(r.standing(), r.Proposals)}
}

// Synthesis returns the answer as a text, with what it stands on, the dissent, the conflicts
// that are open and what would change it: as the log has it, or else by a template. What was
// written before something was taken back is not returned.
func (r *Result) Synthesis() claims.Written {
	b := r.Brief()
	if r.Revision == nil {
		return claims.TemplateOf(b)
	}
	w := claims.Written{Text: b.Text()}
	if slices.ContainsFunc(r.Log, func(s signals.Any) bool { return s.Kind() == claims.KindWritten }) {
		w.Why = "something was taken back after the answer was written"
	}
	return w
}
