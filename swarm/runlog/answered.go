package runlog

import (
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

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

// Person is the source of an answer whose header has none.
const Person = "person"

// An AnsweredError is returned if the question of a solve has already been
// answered. It wraps [ErrLog].
type AnsweredError struct {
	Thread string
	By     string
	At     time.Time

	Question Question // the one about a call that was answered; the zero one for another
}

func (e *AnsweredError) Error() string {
	if said := e.Question.Answer; said != nil {
		return fmt.Sprintf("swarm: the call was answered already in thread %s: %s", e.Thread, said)
	}
	return fmt.Sprintf("swarm: %q answered in thread %s already, at %s", e.By, e.Thread, e.At.Format(time.RFC3339))
}

// Unwrap returns [ErrLog].
func (*AnsweredError) Unwrap() error { return ErrLog }
