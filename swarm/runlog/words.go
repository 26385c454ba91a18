package runlog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// Of returns the terms.
func (p Opened) Of() (*Terms, error) {
	var t Terms
	err := json.Unmarshal([]byte(p.Terms), &t)
	return &t, err
}

// String describes p in words.
func (p Opened) String() string {
	t, err := p.Of()
	if err != nil {
		return "terms: " + err.Error()
	}
	return "terms of " + t.String()
}

// String describes the terms in words: what decides, and what learns from it.
func (t *Terms) String() string {
	by := t.Strategy
	if t.Default && by != "default" { // as long as nothing was learned
		by += " (the default)"
	}
	threshold := "threshold " + strconv.FormatFloat(cmp.Or(t.Threshold, consensus.DefaultThreshold), 'g', 4, 64)
	if t.Threshold == consensus.Plurality {
		threshold = "the most decides"
	}
	all := []string{threshold, "quorum " + strconv.Itoa(cmp.Or(t.Quorum, consensus.DefaultQuorum))}
	if t.Electorate != nil {
		all = append(all, strconv.Itoa(len(t.Electorate))+" may vote")
	}
	if t.Conflicts != settle.ByDebate {
		all = append(all, "conflicts settled by "+t.Conflicts.String())
	}
	if t.Learner != "" {
		all = append(all, t.Learner+" learns")
	}
	if t.Same && t.Rule != Rule {
		all = append(all, "whoever is for the loser of a settlement abstains (a rule of before)")
	}
	return fmt.Sprintf("%s: by %s, %s", t.Name, by, strings.Join(all, ", "))
}

// Made returns the decision as far as it was recorded, without what is computed from
// the votes.
func (p Decided) Made() (d consensus.Decision, err error) {
	err = json.Unmarshal([]byte(p.Decision), &d)
	return d, err
}

// reached reports whether a consensus is to be announced.
func (p Decided) reached() bool {
	d, err := p.Made()
	return err == nil && d.Outcome == consensus.Reached && p.Stop <= StopConsensus
}

// Of returns the recorded decision, on the ballots of d.
func (p Decided) Of(d consensus.Decision) (consensus.Decision, error) {
	d.Choice, d.Leaders, d.Learned, d.Note, d.By, d.Lacks, d.Falls, d.Worth = "", nil, false, "", "", "", nil, nil // these may be omitted
	err := json.Unmarshal([]byte(p.Decision), &d)
	return d, err
}

// String describes p in words.
func (p Decided) String() string {
	d, err := p.Made()
	if err != nil {
		return p.Name + ": " + err.Error()
	}
	line := fmt.Sprintf("%s: %s", p.Name, d.Outcome)
	if d.Choice != "" {
		line += " " + strconv.Quote(d.Choice)
	}
	switch {
	case p.Detail == "":
		line += fmt.Sprintf(": support %.4g, %s", d.Support, text.Plural(d.Voters, "voter"))
	case p.Stop == StopFor(d.Outcome):
		line += ": " + p.Detail
	default:
		line += fmt.Sprintf(", stopped: %v: %s", p.Stop, p.Detail)
	}
	return line
}

// String describes p in words.
func (p Outcome) String() string { return "right was " + cmp.Or(p.ProposalID, "none of these") }
