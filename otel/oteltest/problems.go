package oteltest

import (
	"fmt"
	"regexp"
	"strings"
)

// ids are attributes whose values must not be part of a name: there are as
// many of them as signals, threads and rounds.
var ids = []string{"messaging.message.id", "gen_ai.conversation.id"}

// longNumber matches ids and no names.
var longNumber = regexp.MustCompile(`[0-9]{4}|[0-9a-f]{12}`)

// Problems returns the errors that no trace may have: a span that has not ended, a
// parent that is missing or began later, a link to nowhere or on a root, an id in a
// name, a status Ok, or Error without its type. It takes all spans of the traces.
func Problems(spans []Span) []string {
	var found []string
	byID := map[string]*Span{}
	for i := range spans {
		byID[spans[i].ID] = &spans[i]
	}
	for i := range spans {
		s := &spans[i]
		for _, problem := range s.problems(byID) {
			found = append(found, fmt.Sprintf("%s %s: %s", s.Name, s.ID, problem))
		}
	}
	return found
}

func (s *Span) problems(byID map[string]*Span) (found []string) {
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if s.End.IsZero() || s.End.Before(s.Start) {
		add("has not ended")
	}
	switch parent := byID[s.Parent]; {
	case s.Parent == "" && len(s.Links) > 0:
		add("a root with links")
	case s.Parent != "" && parent == nil:
		add("its parent %s is not there", s.Parent)
	case s.Parent != "" && (parent.Trace != s.Trace || s.Start.Before(parent.Start)):
		add("its parent %s is of another trace or began later", parent.Name)
	}
	if failed := s.Status == "Error"; failed != (s.Attributes["error.type"] != "") || s.Status == "Ok" {
		add("status %s and error.type %q: instrumentation leaves the status unset, or says why", s.Status, s.Attributes["error.type"])
	}
	for _, l := range s.Links {
		if byID[l.Span] == nil {
			add("a link to %s, which is not there", l.Span)
		}
	}
	for _, key := range ids {
		if id := s.Attributes[key]; id != "" && strings.Contains(s.Name, id) {
			add("%s in its name", key)
		}
	}
	if longNumber.MatchString(s.Name) {
		add("an id in its name")
	}
	return found
}
