package asking

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

// Logs that were written before questions had an id name the place of a question in the
// records of the agent's process instead: one for the call, and one for the tool in the
// solve. What is below reads them, and writes none.

// A before is a question of that form.
type before struct {
	Agent   string          `json:"agent"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Why     string          `json:"why"`
	Changed json.RawMessage `json:"changed"`
	For     string          `json:"for"`
	Once    place           `json:"once"`
	Solve   place           `json:"solve"`
}

type place struct {
	Thread  string `json:"thread"`
	Agent   string `json:"agent"`
	Turn    int    `json:"turn"`
	Call    int    `json:"call"`
	Request string `json:"request"`
}

// id returns what answers at the place have as the id of their question; "" for no place.
func (p place) id() string {
	if p == (place{}) {
		return ""
	}
	all, _ := json.Marshal(p) // always marshals
	return "at " + Digest(string(all))[:32]
}

// jsonOf returns a JSON value that a signal had as a string, and a record as it is.
func jsonOf(raw json.RawMessage) (s string) {
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// UnmarshalJSON reads a question of this or the earlier form. The latter has no rule.
func (c *Call) UnmarshalJSON(data []byte) error {
	var old before
	type plain Call
	if err := json.Unmarshal(data, (*plain)(c)); err == nil && c.ID != "" {
		return nil
	} else if json.Unmarshal(data, &old) != nil || old.Once == (place{}) {
		return err
	}
	of := Call{
		Thread: old.Once.Thread, Agent: old.Agent, Turn: old.Once.Turn, Call: old.Once.Call, Tool: old.Tool, Args: jsonOf(old.Args),
		Spec: old.For, Why: old.Why, Changed: jsonOf(old.Changed), once: old.Once.id(), solve: old.Solve.id(),
	}
	if strings.HasPrefix(old.For, "first") { // an attempt to call it
		of.Spec, of.Attempt = "", 1+strings.Count(old.For, ", again")
	}
	*c = New(of)
	return nil
}

// An answerBefore is an answer of that form.
type answerBefore struct {
	Verdict string    `json:"verdict"`
	Reason  string    `json:"reason"`
	By      string    `json:"by"`
	At      time.Time `json:"at"`
}

func (a answerBefore) to(p place) Answer {
	verdict := map[string]Verdict{"allow once": Once, "allow for solve": Solve, "deny": Deny}[a.Verdict]
	return Answer{ID: p.id(), Verdict: verdict, Reason: a.Reason, By: a.By}
}

// UnmarshalJSON reads an answer of this or the earlier form.
func (a *Answer) UnmarshalJSON(data []byte) error {
	var old struct {
		Place  place        `json:"place"`
		Answer answerBefore `json:"answer"`
	}
	type plain Answer
	if err := json.Unmarshal(data, (*plain)(a)); err != nil || a.ID != "" {
		return err
	}
	if err := json.Unmarshal(data, &old); err != nil || old.Place == (place{}) {
		return err
	}
	*a = old.Answer.to(old.Place)
	return nil
}

// A Record is what a recorder of tools had of a question, or of an answer, before they were
// signals. One of Asked and Answer is set.
type Record struct {
	Thread string
	Asked  *Call
	Answer *Answer
	At     time.Time // of the answer, if the record says so
}

// Upgrade reads the record at a place, which is JSON. Most are about something else: ok is
// false for those.
func Upgrade(at, record []byte) (r Record, ok bool) {
	if !bytes.HasPrefix(record, []byte(`{"asked"`)) && !bytes.HasPrefix(record, []byte(`{"answered"`)) {
		return r, false
	}
	var body struct {
		Asked    *Call         `json:"asked"`
		Answered *answerBefore `json:"answered"`
	}
	var p place
	if json.Unmarshal(record, &body) != nil || json.Unmarshal(at, &p) != nil {
		return r, false
	}
	r = Record{Thread: p.Thread, Asked: body.Asked}
	if said := body.Answered; said != nil {
		a := said.to(p)
		r.Answer, r.At = &a, said.At
	}
	return r, r.Asked != nil || r.Answer != nil
}

// Is reports whether an answer is to this question.
func (c Call) Is(a Answer) bool {
	return a.ID != "" && (a.ID == c.ID || a.ID == c.once || a.ID == c.solve)
}
