package roomlog

import (
	"slices"

	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// Answer is the user's answer about a call that may have been made.
type Answer uint8

// The answers.
const (
	Open   Answer = iota // the user has not answered
	Repeat               // the call is made again
	Skip                 // it is not
)

// Asks reports whether the turn waits for an answer of the user.
func (r *Running) Asks() bool {
	for _, answer := range r.Asked {
		if answer == Open {
			return true
		}
	}
	return false
}

// Asks reports whether no turn can begin or continue before the user answers a question.
func (st *State) Asks() bool {
	next, _ := st.rota.Next()
	return st.asking > 0 && st.asking == st.running && next == nil && len(st.pauses) == 0
}

// ask notes a question about a call, and reports whether there is such a call.
func (st *State) ask(a *Agent, call string) bool {
	if a == nil || a.Running == nil || !slices.ContainsFunc(a.Running.Calls, func(e events.Event) bool { return e.ID == call }) {
		return false
	}
	if !a.Running.Asks() {
		st.asking++
	}
	if a.Running.Asked == nil {
		a.Running.Asked = map[string]Answer{}
	}
	a.Running.Asked[call] = Open
	return true
}

// answer notes the user's answer about a call, and reports whether there is such a question.
func (st *State) answer(a *Agent, call, message string) bool {
	_, repeat, ok := Verdict(message)
	if a == nil || !ok {
		return false
	}
	if answer, asked := a.Running.Asked[call]; !asked || answer != Open {
		return false
	}
	a.Running.Asked[call] = Skip
	if repeat {
		a.Running.Asked[call] = Repeat
	}
	if !a.Running.Asks() {
		st.asking--
	}
	return true
}
