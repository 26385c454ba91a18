package agents

import "errors"

// IsAsking reports whether err ends a turn that can go on after a person has answered a
// question, and returns the question: of errors in whose chain the first with a method Asks
// returns it. The driver of the agent stops, and takes the turn again, with the same
// input, once the person has answered.
func IsAsking(err error) (question string, ok bool) {
	var asks interface {
		error
		Asks() string
	}
	if !errors.As(err, &asks) {
		return "", false
	}
	return asks.Asks(), true
}
