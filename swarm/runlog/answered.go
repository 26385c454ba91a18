package runlog

import "github.com/swarmbus/swarmbus/signals"

// KindAnswered is the kind of [Answered].
const KindAnswered signals.Kind = "escalation:answered"

// Answered says that the question of a solve was answered from outside the swarm,
// and that the solve continues. Its header replies to the question, if there was
// one.
type Answered struct {
	By       string     `json:"by"`       // required
	AnswerID signals.ID `json:"answerId"` // required; of the answer's signal
}

// Kind returns KindAnswered.
func (Answered) Kind() signals.Kind { return KindAnswered }

// Check implements [signals.Checker].
func (p Answered) Check(l signals.Limits) error {
	if p.AnswerID.IsZero() {
		return &signals.FieldError{Kind: KindAnswered, Field: "answerId", Problem: "required"}
	}
	return l.Name("by", p.By)
}
