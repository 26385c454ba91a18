package teams

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/swarmbus/swarmbus/swarm/mode"
)

// traits returns what the team says of its tasks, or else what the tools of its agents
// suggest: that facts differ if two agents each may call something that the other may not,
// and that answers can be checked if somebody has a tool that tests or proves.
func (t *Team) traits() mode.Traits {
	if t.FactsDiffer || t.Checkable {
		return mode.Traits{FactsDiffer: t.FactsDiffer, Checkable: t.Checkable, Because: "the team says so"}
	}
	for i, a := range t.Agents {
		for _, b := range t.Agents[:i] {
			if one, other := without(a, b), without(b, a); one != "" && other != "" {
				return mode.Traits{FactsDiffer: true, Because: fmt.Sprintf("only %s may call %s, and only %s %s", b.ID, other, a.ID, one)}
			}
		}
	}
	for _, a := range t.Agents {
		for _, name := range slices.Sorted(maps.Keys(a.Tools)) {
			if checks.MatchString(name) {
				return mode.Traits{Checkable: true, Because: fmt.Sprintf("%s may call %s", a.ID, name)}
			}
		}
	}
	return mode.Traits{}
}

// checks matches the names of tools that check something.
var checks = regexp.MustCompile(`(?i)(^|[^a-z])(test|tests|prove|proof|check|verify|lint|compile|build)([^a-z]|$)`)

// without returns the first tool that one agent may call and another may not; "" if there
// is none.
func without(a, b Agent) string {
	for _, name := range slices.Sorted(maps.Keys(a.Tools)) {
		if _, too := b.Tools[name]; !too {
			return name
		}
	}
	return ""
}
