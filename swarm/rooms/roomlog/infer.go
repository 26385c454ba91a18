package roomlog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

var (
	quoted     = regexp.MustCompile("(?m)^\\s*>.*$|\"[^\"\n]*\"|“[^”\n]*”|`[^`]*`")
	urgent     = regexp.MustCompile(`(?i)(^|[^\pL\pN_])(urgent|blocked|critical|stop)($|[^\pL\pN_])`)
	background = regexp.MustCompile(`(?i)(^|[^\pL\pN_])(broadcast|fyi|convention\s+update)($|[^\pL\pN_])`)
)

// Infer returns the priority that the rules find in a message to the members of a
// room, and the rule; 0 if none of them applies.
func Infer(message string, members []string) (p schedule.Priority, why string) {
	said := quoted.ReplaceAllString(message, " ")
	if m := urgent.FindStringSubmatch(said); m != nil {
		return schedule.Urgent, fmt.Sprintf("inferred: %q", strings.ToLower(m[2]))
	}
	if to := addressed(said, members); len(to) == 1 && strings.Contains(said, "?") {
		return schedule.Normal, "inferred: question to " + to[0]
	}
	if m := background.FindStringSubmatch(said); m != nil {
		return schedule.Background, fmt.Sprintf("inferred: %q", strings.ToLower(strings.Join(strings.Fields(m[2]), " ")))
	}
	return 0, ""
}

// Addressed returns the members that a message addresses, in the members' order.
// Names are compared without regard to case.
func Addressed(message string, members []string) []string {
	return addressed(quoted.ReplaceAllString(message, " "), members)
}

var (
	mention = regexp.MustCompile(`(?:^|[^\pL\pN_.@-])@([\pL\pN][\pL\pN_.-]*)`)
	opening = regexp.MustCompile(`^\s*([\pL\pN][\pL\pN_.-]*)\s*[,:]`)
)

// mostMentioned is how many names [Mentions] returns at most.
const mostMentioned = 16

// Mentions returns the names that a message mentions as @Name, as they are first written, each once
// whatever its case.
// A name before a slash is a part of a path.
func Mentions(message string) (names []string) {
	said := quoted.ReplaceAllString(message, " ")
	for _, m := range mention.FindAllStringSubmatchIndex(said, -1) {
		name := strings.TrimRight(said[m[2]:m[3]], ".-")
		same := func(other string) bool { return strings.EqualFold(other, name) }
		if !strings.HasPrefix(said[m[3]:], "/") && !slices.ContainsFunc(names, same) && len(names) < mostMentioned {
			names = append(names, name)
		}
	}
	return names
}

func addressed(said string, members []string) (to []string) {
	named := map[string]bool{}
	for _, m := range append(mention.FindAllStringSubmatch(said, -1), opening.FindAllStringSubmatch(said, -1)...) {
		name := strings.ToLower(m[1])
		named[name], named[strings.TrimRight(name, ".-")] = true, true // a full stop may end the sentence
	}
	for _, member := range members {
		if named[strings.ToLower(member)] {
			to = append(to, member)
		}
	}
	return to
}
