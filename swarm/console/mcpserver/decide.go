package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/consensus"
)

// ballot is the input of decide.
type ballot struct {
	Proposals []proposal `json:"proposals" jsonschema:"what can be chosen"`
	Votes     []vote     `json:"votes" jsonschema:"in the order in which they were cast; the newest of a voter on a proposal counts"`
	Strategy  string     `json:"strategy,omitempty" jsonschema:"how votes are counted; default: confidence-weighted"`
	Threshold float64    `json:"threshold,omitempty" jsonschema:"support that a decision needs, above 0 and at most 1; default: 0.7"`
	Quorum    int        `json:"quorum,omitempty" jsonschema:"number of voters that a decision needs; default: 2"`
}

type proposal struct {
	ID   string `json:"id" jsonschema:"what votes call it"`
	Text string `json:"text,omitempty" jsonschema:"for the reason; default: the id"`
}

type vote struct {
	Voter    string   `json:"voter"`
	Proposal string   `json:"proposal" jsonschema:"id"`
	Stance   string   `json:"stance,omitempty" jsonschema:"default: agree"`
	Weight   *float64 `json:"weight,omitempty" jsonschema:"the voter's confidence, from 0 to 1; default: 1"`
	Group    string   `json:"group,omitempty" jsonschema:"voters who share a source of error, such as a model; for the strategy grouped"`
	Reason   string   `json:"reason,omitempty"`
}

// decided is the result of decide.
type decided struct {
	consensus.Decision
	Reason    string                `json:"reason" jsonschema:"in a sentence"`
	Tallies   []consensus.Tally     `json:"tallies"`
	Dissent   []consensus.Vote      `json:"dissent" jsonschema:"votes against the decision"`
	Uncounted []consensus.Uncounted `json:"uncounted" jsonschema:"votes that did not count, and why"`
	RestsOn   []string              `json:"restsOn" jsonschema:"voters without whose votes the choice would not be made; null if there are more than 200 voters"`
}

func (s *Server) decideTool() *sdk.Tool {
	in, _ := jsonschema.For[ballot](nil) // its types have schemas
	in.Properties["strategy"].Enum = strategies()
	one := in.Properties["votes"].Items
	one.Properties["stance"].Enum = []any{"agree", "disagree", "abstain"}
	none, all := 0.0, 1.0
	one.Properties["weight"] = &jsonschema.Schema{Type: "number", Minimum: &none, Maximum: &all, Description: one.Properties["weight"].Description}
	in.Properties["proposals"].MaxItems, in.Properties["votes"].MaxItems = &s.o.Limits.Proposals, &s.o.Limits.Votes
	for _, list := range []string{"proposals", "votes"} {
		in.Properties[list].Type, in.Properties[list].Types = "array", nil // not null
	}
	return &sdk.Tool{
		Name: "decide", Title: "Count votes", InputSchema: in, OutputSchema: &jsonschema.Schema{Type: "object"},
		Description: "Decides between proposals by votes that you have: the outcome, how sure it is, why, who dissents, which votes did not count, and on whose votes it rests.",
	}
}

// strategies returns the names of all strategies.
func strategies() (names []any) {
	for _, s := range append(consensus.Builtin(), consensus.Grouped{}) {
		names = append(names, s.Name())
	}
	return names
}

// strategy returns the strategy of that name.
func strategy(name string) (consensus.Strategy, error) {
	if grouped := (consensus.Grouped{}); name == grouped.Name() {
		return grouped, nil
	}
	return consensus.Lookup(cmp.Or(name, consensus.Default().Name()))
}

func (s *Server) decide(_ context.Context, _ *sdk.CallToolRequest, in ballot) (*sdk.CallToolResult, decided, error) {
	if len(in.Proposals) > s.o.Limits.Proposals || len(in.Votes) > s.o.Limits.Votes {
		return nil, decided{}, fmt.Errorf("%d proposals and %d votes: at most %d and %d", len(in.Proposals), len(in.Votes), s.o.Limits.Proposals, s.o.Limits.Votes)
	}
	if in.Threshold < 0 || in.Quorum < 0 {
		return nil, decided{}, errors.New("threshold and quorum are positive")
	}
	by, err := strategy(in.Strategy)
	if err != nil {
		return nil, decided{}, err
	}
	d, err := in.count(by, "")
	if err != nil {
		return nil, decided{}, err
	}
	texts := map[string]string{}
	for _, p := range in.Proposals {
		texts[p.ID] = line(cmp.Or(p.Text, p.ID), 200)
	}
	out := decided{
		Decision: d, Reason: d.Sentence(func(id string) string { return texts[id] }),
		Tallies: d.Tallies(), Dissent: d.Dissent(), Uncounted: d.Uncounted(), RestsOn: []string{},
	}
	if d.Outcome == consensus.Reached {
		out.RestsOn, err = in.restsOn(by, d)
	}
	return nil, out, err
}

// count decides on the votes, without those of one voter.
func (in *ballot) count(by consensus.Strategy, without string) (consensus.Decision, error) {
	o := &consensus.Options{Threshold: in.Threshold, Quorum: in.Quorum, Groups: map[string]string{}}
	for _, v := range in.Votes {
		if v.Group != "" {
			o.Groups[v.Voter] = v.Group
		}
	}
	round, err := consensus.NewRound(by, o)
	if err != nil {
		return consensus.Decision{}, err
	}
	for _, p := range in.Proposals {
		if err := round.Propose(p.ID); err != nil {
			return consensus.Decision{}, err
		}
	}
	for i, v := range in.Votes {
		if without != "" && v.Voter == without {
			continue
		}
		cast := consensus.Vote{Seq: uint64(i + 1), Voter: v.Voter, ProposalID: v.Proposal, Stance: consensus.Agree, Weight: 1, Reasoning: v.Reason}
		if v.Weight != nil {
			cast.Weight = *v.Weight
		}
		if v.Stance != "" {
			if err := cast.Stance.UnmarshalText([]byte(v.Stance)); err != nil {
				return consensus.Decision{}, fmt.Errorf("vote %d: %w", i+1, err)
			}
		}
		if err := round.Vote(cast); err != nil {
			return consensus.Decision{}, fmt.Errorf("vote %d: %w", i+1, err)
		}
	}
	round.Close()
	return round.Decision(), nil
}

// mostRests is the maximum number of voters for whom a decision is made again.
const mostRests = 200

// restsOn returns the voters without whom the choice would not be made; nil: there are too
// many voters to check.
func (in *ballot) restsOn(by consensus.Strategy, d consensus.Decision) ([]string, error) {
	var voters []string
	for _, v := range in.Votes {
		voters = append(voters, v.Voter)
	}
	slices.Sort(voters)
	if voters = slices.Compact(voters); len(voters) > mostRests {
		return nil, nil
	}
	all := []string{}
	for _, voter := range voters {
		less, err := in.count(by, voter)
		if err != nil {
			return nil, err
		}
		if less.Choice != d.Choice {
			all = append(all, voter)
		}
	}
	return all, nil
}
