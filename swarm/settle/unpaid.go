package settle

import (
	"cmp"
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// KindUnpaid is the kind of [Unpaid].
const KindUnpaid signals.Kind = "debate:unpaid"

// Unpaid is a record in the log of a solve. It says that a round of a debate is not held because an advocate cannot pay for its
// turns.
type Unpaid struct {
	Agent  string `json:"agent"`
	Debate Debate `json:"debate"` // the step that was next
}

// Kind returns KindUnpaid.
func (Unpaid) Kind() signals.Kind { return KindUnpaid }

// String describes p in words.
func (p Unpaid) String() string {
	what := "a debate"
	if p.Debate.Round > 1 {
		what = fmt.Sprintf("round %d of the debate", p.Debate.Round)
	}
	return fmt.Sprintf("%s cannot pay for %s about %s and %s", p.Agent, what, p.Debate.A, p.Debate.B)
}

// Check implements [signals.Checker].
func (p Unpaid) Check(l signals.Limits) error {
	return cmp.Or(l.Name("agent", p.Agent), p.Debate.Check(l))
}
