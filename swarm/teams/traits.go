package teams

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// traits returns what the team says is true of its tasks, or else what the tools of its agents
// suggest of what it does not say.
func (t *Team) traits() mode.Traits {
	said := mode.Traits{FactsDiffer: t.FactsDiffer != nil && *t.FactsDiffer, Checkable: t.Checkable != nil && *t.Checkable}
	if said.FactsDiffer || said.Checkable {
		said.Because = "it was stated"
		return said
	}
	if why := t.differ(); t.FactsDiffer == nil && why != "" {
		return mode.Traits{FactsDiffer: true, Because: why}
	}
	if why := t.tests(); t.Checkable == nil && why != "" {
		return mode.Traits{Checkable: true, Because: why}
	}
	return mode.Traits{}
}

// differ says why facts differ: two agents each may call something that the other may not; "" if
// there are none.
func (t *Team) differ() string {
	for i, a := range t.Agents {
		for _, b := range t.Agents[:i] {
			if one, other := without(a, b), without(b, a); one != "" && other != "" {
				return fmt.Sprintf("only %s may call %s, and only %s %s", b.ID, other, a.ID, one)
			}
		}
	}
	return ""
}

// tests says why answers can be checked: somebody has a tool that tests or proves; "" if nobody
// has.
func (t *Team) tests() string {
	for _, a := range t.Agents {
		for _, name := range slices.Sorted(maps.Keys(a.Tools)) {
			if a.may(name) && proves(name) {
				return fmt.Sprintf("%s may call %s", a.ID, name)
			}
		}
	}
	return ""
}

// without returns the first tool that one agent may call and another may not; "" if there
// is none.
func without(a, b Agent) string {
	for _, name := range slices.Sorted(maps.Keys(a.Tools)) {
		if a.may(name) && !b.may(name) {
			return name
		}
	}
	return ""
}

// may reports whether the agent may call a tool, or all tools of a server: whether its rule for
// the tool, or else that for the tool's server, is another one than to deny it.
func (a Agent) may(name string) bool {
	p, rule := a.Tools[name]
	if server, _, of := strings.Cut(name, "/"); !rule && of {
		p, rule = a.Tools[server+"/*"]
	}
	return rule && p != "deny"
}

var (
	word = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
	// tests are words of tools that prove something, and checks are such words where they come
	// last: check_weather looks something up.
	tests  = []string{"test", "tests", "pytest", "unittest", "doctest", "ctest", "jest", "prove", "prover", "proof", "verify", "verifier", "lint", "linter", "typecheck"}
	checks = []string{"check", "checker", "checks", "compile", "compiler", "build"}
)

// proves reports whether the name of a tool is that of one that tests or proves something. Of
// server/* the name of the server says so.
func proves(name string) bool {
	server, tool, of := strings.Cut(name, "/")
	if !of || tool == "*" {
		tool = server
	}
	words := word.FindAllString(tool, -1)
	for i := range words {
		words[i] = strings.ToLower(words[i])
	}
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(tests, w) }) ||
		len(words) > 0 && slices.Contains(checks, words[len(words)-1])
}

// Unheard returns the agents whose words to a coordinator reach nobody, since the team has none.
func (t *Team) Unheard() (agents []string) {
	for _, a := range t.Agents {
		says := func(k signals.Kind) bool {
			return k != coordination.KindHandoff && k != coordination.KindTransition && slices.Contains(thinker.Coordinates(), k)
		}
		if t.Coordinator == "" && slices.ContainsFunc(a.CanEmit, says) {
			agents = append(agents, a.ID)
		}
	}
	return agents
}

// Confirms reports whether the team has a memory in which a fact can be confirmed, and so be recalled
// at the beginning of a solve: two of its agents are of different groups.
func (t *Team) Confirms() bool {
	groups := map[string]bool{}
	for _, a := range t.Agents {
		name, _ := t.modelOf(a)
		group := cmp.Or(a.Group, t.Models[name].ID().String())
		if a.Join != "" {
			group = cmp.Or(a.Group, a.ID)
		}
		groups[group] = true
	}
	return t.Memory != nil && len(groups) > 1
}

// Idle returns the fields that are set and have no effect in the mode of the team. Most are for
// agents that deliberate: in the mode auto, conflicts and rounds have an effect, since what it
// chooses may be to deliberate. What facts and answers are like is for auto alone, and calls are
// for all modes but to deliberate.
func (t *Team) Idle() (fields []string) {
	chosen := t.mode()
	set := func(field string, is bool) {
		if is {
			fields = append(fields, field)
		}
	}
	deliberates := chosen == Mode(mode.Deliberate.String())
	set("factsDiffer", chosen != DefaultMode && t.FactsDiffer != nil)
	set("checkable", chosen != DefaultMode && t.Checkable != nil)
	set("calls", deliberates && t.Calls > 0)
	silent := func(a Agent) bool { return a.CanEmit != nil && !slices.Contains(a.CanEmit, signals.KindProposal) }
	if auto := chosen == DefaultMode; deliberates || auto && slices.ContainsFunc(t.Agents, silent) {
		return fields
	}
	set("strategy", t.Strategy != "")
	set("conflicts", chosen != DefaultMode && t.Conflicts != "" && t.Conflicts != "escalate")
	set("advocate", t.Advocate != "")
	set("speakers", t.Speakers > 0)
	set("rounds", chosen != DefaultMode && t.Rounds > 0)
	for i, a := range t.Agents {
		set(fmt.Sprintf("agents[%d].weight", i), a.Weight > 0 && a.Weight < 1)
	}
	return fields
}
