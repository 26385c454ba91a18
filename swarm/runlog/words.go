package runlog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/swarmbus/swarmbus/consensus"
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
	switch {
	case t.Same && t.Rule < ruleOfSettlements:
		all = append(all, "whoever is for the loser of a settlement abstains (a rule of before)")
	case t.Same && t.Rule != Rule:
		all = append(all, fmt.Sprintf("by rule %d of before; the present one is %d", t.Rule, Rule))
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

// String says what is on record of the decision; without the votes of the thread, that is less than On says.
func (p Decided) String() string { return p.On(consensus.Decision{}, nil) }

// On says the decision as every place does, by its [consensus.Decision.Sentence], with the ballots of d, a decision on
// the votes of the thread, and beside it why the solve stopped if the votes did not end it. show is as for Sentence.
func (p Decided) On(d consensus.Decision, show func(id string) string) string {
	d, err := p.Of(d)
	if err != nil {
		return p.Name + ": " + err.Error()
	}
	line := p.Name + ": " + d.Sentence(show)
	if p.Detail != "" && p.Stop != StopFor(d.Outcome) {
		line += fmt.Sprintf("; stopped: %v: %s", p.Stop, p.Detail)
	}
	return line
}

// String describes p in words.
func (p Outcome) String() string { return "right was " + cmp.Or(p.ProposalID, "none of these") }
