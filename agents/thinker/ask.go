package thinker

import (
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// asked says what a turn asks for.
var asked = map[agents.Ask]string{
	agents.AskAnswer:  "Answer the task by yourself: propose one solution, with the reasons that prove it or speak for it. The answers of others are not shown to you, nor an earlier one of your own.",
	agents.AskFacts:   "Do not answer the task yet. State, as discoveries, what you know about it that the others may not know, and all of it: they answer by what has been stated.",
	agents.AskVerdict: "Judge the proposals by the reasons for them, not by what you would have answered: agree with the one whose reasons prove it. If no reasons do, pass.",
}

// asked says what the turn asks for; "": whatever the agent has to say.
func (v *view) asked() string {
	if v.Against == "" {
		return asked[v.Ask]
	}
	against := strings.Trim(v.refOf(v.Against), `"`)
	return fmt.Sprintf("The votes have chosen %s. Before it is decided you argue against it, whatever you think of it: challenge %s with the strongest reason that there is. The others hear it and may change their votes. If nothing speaks against it, pass.", against, against)
}

// asksFor reports whether a turn asks for signals of a kind.
func asksFor(a agents.Ask, k signals.Kind) bool {
	switch a {
	case agents.AskAnswer:
		return k == signals.KindProposal
	case agents.AskFacts:
		return k == signals.KindDiscovery
	case agents.AskVerdict:
		return k == signals.KindVote
	}
	return true
}
