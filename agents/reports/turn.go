package reports

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/swarmbus/swarmbus/signals"
)

// ToDesk is who a [Turn] is for.
const ToDesk = "reports"

// A Turn is a report as an agent says it in its turn, for a desk to judge. The task
// is the signal's thread, the worker its source. As JSON, a turn is at most as long as
// the bus's limit for one text, 64 KiB by default.
type Turn struct {
	Report string `json:"report"` // required; JSON of [Schema]
}

// NewTurn returns the signal with which an agent reports. The turn, worker, task and
// model in data are replaced by those given. The error is a [*signals.FieldError] if
// data is not a JSON object, or too long for a turn.
func NewTurn(turn string, w Worker, data []byte) (*signals.Signal[Turn], error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return nil, problem("report", string(data), "not a JSON object")
	}
	for name, value := range map[string]string{"turn_id": turn, "worker_id": w.ID, "task_id": w.Task, "model": w.Model} {
		members[name], _ = json.Marshal(value) // of a string, which cannot fail
	}
	whole, _ := json.Marshal(members) // of JSON, which cannot fail
	if _, err := read(whole); err != nil {
		return nil, err
	}
	s := signals.New(signals.Header{Confidence: 1, Recipients: signals.To(ToDesk)}, Turn{string(whole)})
	if err := signals.Validate(s); err != nil {
		return nil, err
	}
	return s, nil
}

// Kind returns "worker.turn.reported". Agents may say it.
func (Turn) Kind() signals.Kind { return "worker.turn.reported" }

// Check implements [signals.Checker].
func (p Turn) Check(l signals.Limits) error {
	return cmp.Or(l.Required("report", p.Report), asRaw(l, p))
}

// String returns the signal in one line.
func (p Turn) String() string {
	r, err := Decode([]byte(p.Report))
	if err != nil {
		return "sends a report that does not conform to the schema"
	}
	return fmt.Sprintf("sends its report (%s): %s", r.Status, r.Summary)
}

// A Ruling is a decision on an escalation as an agent says it in its turn, for a desk to
// make. The decider is its source, which is never taken for a person.
type Ruling struct {
	Request signals.ID `json:"request"` // required; the id of the [Requested] signal
	Verdict Verdict    `json:"verdict"` // required
	Option  string     `json:"option,omitempty"`
	Text    string     `json:"text,omitempty"`
}

// NewRuling returns the signal with which an agent decides.
func NewRuling(r Ruling) *signals.Signal[Ruling] {
	return signals.New(signals.Header{Confidence: 1, ReplyTo: r.Request, Recipients: signals.To(ToDesk)}, r)
}

// Kind returns "worker.escalation.ruled". Agents may say it.
func (Ruling) Kind() signals.Kind { return "worker.escalation.ruled" }

// Check implements [signals.Checker].
func (p Ruling) Check(l signals.Limits) error {
	return cmp.Or(l.Ref("request", p.Request), p.Verdict.known(), l.Text("option", p.Option), l.Text("text", p.Text))
}

// String returns the signal in one line.
func (p Ruling) String() string {
	return "rules on an escalation: " + answer(p.Verdict, p.Option, p.Text)
}
