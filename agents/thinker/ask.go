package thinker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
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
	switch {
	case v.Against != "":
	case v.cites:
		return asked[v.Ask] + " Your answer falls if the facts that it follows from turn out to be wrong: name each of these in because, by its number."
	default:
		return asked[v.Ask]
	}
	against := strings.Trim(v.refOf(v.Against), `"`)
	return fmt.Sprintf("The votes have chosen %s. Before it is decided you argue against it, whatever you think of it: challenge %s with the strongest reason that there is. The others hear it and may change their votes. If nothing speaks against it, pass.", against, against)
}

// isFact reports whether a signal states a fact.
func isFact(s signals.Any) bool {
	k := s.Kind()
	return k == signals.KindDiscovery || k == signals.KindMemory || k == signals.KindToolResult
}

// citable returns the references to the facts that messages show.
func (v *view) citable(messages []models.Message) (refs []string) {
	for _, s := range slices.Concat(v.New, v.Said) {
		ref := fmt.Sprintf("S%d", s.Head().Seq)
		shown := func(m models.Message) bool { return strings.Contains(m.Text, `{"ref":"`+ref+`",`) } // the quotes of texts are escaped
		if isFact(s) && slices.ContainsFunc(messages, shown) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// asksFor reports whether signals of a kind can be said in the turn: in a mode those that
// the turn asks for, and what takes nothing of others to say.
func (v *view) asksFor(k signals.Kind) bool {
	if v.Ask == 0 {
		return true
	}
	switch k {
	case signals.KindEscalation:
		return true
	case signals.KindRetraction:
		return len(v.Said) > 0
	case signals.KindProposal:
		return v.Ask == agents.AskAnswer
	case signals.KindVote:
		return v.Ask == agents.AskVerdict
	case signals.KindDiscovery, signals.KindMemory:
		return v.Ask != agents.AskVerdict
	}
	return false
}
