package events

import (
	"regexp"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
)

// The sources that are not agents.
const (
	FromUser   = "user"
	FromRouter = "router"
)

var name = regexp.MustCompile(`^[\pL\pN][\pL\pN_-]*(\.[\pL\pN_-]+)*$`)

// nameBytes is the limit for names, so that a file can be named after each.
const nameBytes = 64

// CheckName refuses an invalid name of a room or an agent with a
// [*signals.FieldError]. A name has up to 64 bytes of letters, digits, "_", "-" and
// single dots inside, and begins with a letter or a digit, so no name is a path.
func CheckName(field, text string) error {
	if err := (signals.Limits{}).Name(field, text); err != nil {
		return err
	}
	if len(text) > nameBytes || !name.MatchString(text) {
		return &signals.FieldError{Field: field, Value: text, Problem: "not a name: up to 64 bytes of letters, digits, \"_\", \"-\" and dots inside"}
	}
	return nil
}

// CheckAgent is [CheckName] for agents. It also refuses the names of other sources, in
// any case.
func CheckAgent(field, text string) error {
	if err := CheckName(field, text); err != nil {
		return err
	}
	if slices.Contains([]string{FromUser, FromRouter, "system", "all"}, strings.ToLower(text)) {
		return &signals.FieldError{Field: field, Value: text, Problem: "reserved"}
	}
	return nil
}
