package mcpserver_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/mcpserver"
)

func TestDecideCountsVotesAndGivesTheReason(t *testing.T) {
	t.Parallel()
	c := connect(t, serve(t, mcpserver.Options{}), "", nil)
	votes := []map[string]any{
		{"voter": "ann", "proposal": "ship"},
		{"voter": "bob", "proposal": "ship", "weight": 0.9},
		{"voter": "cyn", "proposal": "ship", "stance": "disagree", "weight": 0.5, "reason": "not tested"},
		{"voter": "dan", "proposal": "unknown"},
	}
	args := map[string]any{"proposals": []map[string]any{{"id": "ship", "text": "Ship it \x1b[31mnow"}, {"id": "wait"}}, "votes": votes}
	got := call[decision](t, c, "decide", args)
	if got.Outcome != "reached" || got.Choice != "ship" || got.Confidence < 0.6 || strings.ContainsRune(got.Reason, '\x1b') {
		t.Errorf("got %+v", got)
	}
	if len(got.Dissent) != 1 || got.Dissent[0].Voter != "cyn" || got.Dissent[0].Reasoning != "not tested" {
		t.Errorf("dissent: got %+v", got.Dissent)
	}
	if len(got.Uncounted) != 1 || got.Uncounted[0].Cause != "unknown-proposal" {
		t.Errorf("uncounted: got %+v", got.Uncounted)
	}
	if want := []string{"ann", "bob"}; !slices.Equal(got.RestsOn, want) {
		t.Errorf("it rests on %q, want %q", got.RestsOn, want)
	}
	args["strategy"] = "voting"
	if got := call[decision](t, c, "decide", args); got.Outcome != "deadlocked" {
		t.Errorf("voting: 2 of 3 are below 70 %%, got %+v", got)
	}
}

func TestDecideCountsByEachStrategyThatItOffers(t *testing.T) {
	t.Parallel()
	c := connect(t, serve(t, mcpserver.Options{}), "", nil)
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct{ Strategy struct{ Enum []string } }
	}
	for _, tool := range tools.Tools {
		if tool.Name != "decide" {
			continue
		}
		text, err := json.Marshal(tool.InputSchema)
		if err == nil {
			err = json.Unmarshal(text, &schema)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(schema.Properties.Strategy.Enum) < 6 {
		t.Errorf("it offers %q", schema.Properties.Strategy.Enum)
	}
	votes := []map[string]any{{"voter": "ann", "proposal": "a"}, {"voter": "bob", "proposal": "a"}}
	for _, name := range schema.Properties.Strategy.Enum {
		args := map[string]any{"proposals": []map[string]any{{"id": "a"}}, "votes": votes, "strategy": name}
		if got := call[decision](t, c, "decide", args); got.Outcome == "" {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// Three voters are for a, and one of another model is for b.
func TestDecideCountsVotersOfAGroupAsOneSourceOfError(t *testing.T) {
	t.Parallel()
	c := connect(t, serve(t, mcpserver.Options{}), "", nil)
	decide := func(group string) decision {
		var votes []map[string]any
		for _, voter := range []string{"v1", "v2", "v3"} {
			votes = append(votes, map[string]any{"voter": voter, "proposal": "a", "weight": 0.8, "group": group})
		}
		votes = append(votes, map[string]any{"voter": "other", "proposal": "b", "weight": 0.7, "group": "second"})
		return call[decision](t, c, "decide", map[string]any{"proposals": []map[string]any{{"id": "a"}, {"id": "b"}}, "votes": votes, "strategy": "grouped"})
	}
	if got := decide(""); got.Outcome != "reached" || got.Choice != "a" {
		t.Errorf("of models of their own: got %+v", got)
	}
	if got := decide("first"); got.Outcome != "deadlocked" {
		t.Errorf("of one model: got %+v", got)
	}
}

func TestADecisionRestsOnAVoterWithoutWhomAnotherChoiceIsMade(t *testing.T) {
	t.Parallel()
	c := connect(t, serve(t, mcpserver.Options{}), "", nil)
	got := call[decision](t, c, "decide", map[string]any{
		"proposals": []map[string]any{{"id": "a"}, {"id": "b"}}, "quorum": 1, "threshold": 0.4,
		"votes": []map[string]any{{"voter": "ann", "proposal": "a"}, {"voter": "bob", "proposal": "b", "weight": 0.8}},
	})
	if got.Choice != "a" || !slices.Equal(got.RestsOn, []string{"ann"}) {
		t.Errorf("got %+v, want a choice of a that rests on ann", got)
	}
}

func TestDecideNamesTheInvalidField(t *testing.T) {
	t.Parallel()
	c := connect(t, serve(t, mcpserver.Options{Limits: mcpserver.Limits{Votes: 2}}), "", nil)
	one := []map[string]any{{"id": "a"}}
	cast := func(votes ...map[string]any) map[string]any { return map[string]any{"proposals": one, "votes": votes} }
	by := cast()
	by["votes"] = []map[string]any{}
	by["strategy"] = "dice"
	for want, args := range map[string]map[string]any{
		"weight":    cast(map[string]any{"voter": "ann", "proposal": "a", "weight": 7}),
		"stance":    cast(map[string]any{"voter": "ann", "proposal": "a", "stance": "maybe"}),
		"voter":     cast(map[string]any{"voter": "", "proposal": "a"}),
		"votes":     cast(make([]map[string]any, 3)...),
		"strategy":  by,
		"proposals": {"votes": []map[string]any{}},
		"threshold": {"proposals": one, "votes": []map[string]any{}, "threshold": 2},
	} {
		if got := refused(t, c, "decide", args); !strings.Contains(got, want) {
			t.Errorf("got %q, want it to name %s", got, want)
		}
	}
}
