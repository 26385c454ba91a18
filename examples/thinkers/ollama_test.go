package main

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/agents/models/openai"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/ollama"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// local returns a model of a real Ollama server.
func local(t *testing.T, base, name string) *openai.Model {
	t.Helper()
	m, err := openai.New(openai.Options{Provider: "ollama", Model: name, BaseURL: base + "/v1", SchemaOrTools: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// proposes is an agent with a proposal and no model.
func proposes(id, content string) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.On(func(context.Context, *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
		return agents.Emit(agents.Propose(id, content, 0.8, "it spreads load"))
	})}
}

// judges are four judges of four models, and a clerk that looks words up.
func judges(open func(name string) models.Model, show func(string, models.Piece)) (all []*agents.Agent) {
	all = append(all, proposes("planner", "Retry five times with full jitter"))
	for i := range 4 {
		all = append(all, thinker.Thinker{
			ID: fmt.Sprintf("judge-%d", i+1), Role: "You judge.", Model: open(fmt.Sprintf("judge-%d", i+1)), CanEmit: []signals.Kind{signals.KindVote}, Seeded: true, Show: show,
		}.Agent())
	}
	return append(all, thinker.Thinker{
		ID: "clerk", Role: "You look words up.", Model: open("clerk"), CanEmit: []signals.Kind{signals.KindToolResult, signals.KindVote}, Seeded: true, Show: show,
		Tools: tools.Of(tools.Func("look_up", "Looks a word up.", tools.Hints{ReadsOnly: true}, func(_ context.Context, in lookedUp) (string, error) {
			return fmt.Sprintf(`found: {"word":%q}`, in.Word), nil
		})),
	}.Agent())
}

type lookedUp struct {
	Word string `json:"word"`
}

var homemade = []ollama.Model{
	{Name: "judge-1", Seed: 1, Likes: "agree"},
	{Name: "judge-2", Seed: 2, Likes: "disagree"},
	{Name: "judge-3", Seed: 3, Likes: "abstain"},
	{Name: "judge-4", Seed: 4, Likes: "disagree"},
	{Name: "clerk", Seed: 5, Likes: "agree", Says: ollama.Call("look_up", `{"word":"jitter"}`)},
}

// TestOllamaJudgesVoteAsTheirModelsAnswerAndAClerkCallsTools is a whole swarm over a real
// server: votes by schema from four models that like one stance each, calls of a tool from
// a fifth, all streamed, counted and recorded.
func TestOllamaJudgesVoteAsTheirModelsAnswerAndAClerkCallsTools(t *testing.T) {
	base := ollama.Serve(t, homemade...)
	store := &journal.Memory{}
	recorder, err := journal.NewRecorder(store)
	if err != nil {
		t.Fatal(err)
	}
	budget := limits.NewBudget(limits.Spend{Tokens: 1_000_000})
	shared := limits.New(limits.Options{Budget: budget})
	var pieces atomic.Int32
	team := judges(func(name string) models.Model {
		return cassette.Model(shared.Limit(local(t, base, name)), recorder)
	}, func(string, models.Piece) { pieces.Add(1) })
	recorded, r := solveWith(t, t.Context(), swarm.Options{Limits: swarm.Limits{Rounds: 2, Deadline: 5 * time.Minute}, Agents: team})

	stances, results := map[string]signals.Stance{}, 0
	for _, s := range r.Log {
		switch p := s.Body().(type) {
		case signals.Vote:
			stances[s.Head().Source] = p.Stance
		case signals.ToolResult:
			results++
			if s.Head().Source != "clerk" || p.ToolName != "look_up" || p.Result != `found: {"word":"jitter"}` {
				t.Errorf("%s says %+v", s.Head().Source, p)
			}
		}
	}
	voted := 0
	for _, judge := range homemade[:4] {
		stance, ok := stances[judge.Name]
		if ok {
			voted++
		}
		if ok && stance.String() != judge.Likes {
			t.Errorf("%s votes %v: its model says %s", judge.Name, stance, judge.Likes)
		}
	}
	// What a model makes up depends on the processor: one of them may never say why.
	if voted < 3 {
		t.Errorf("of four judges these voted: %v", stances)
	}
	// Each of the clerk's calls asks for the tool and gets a result, answers, or answers again because the answer was refused.
	if clerk := r.Spent["clerk"]; results == 0 || clerk.Calls != results+r.Rounds+clerk.Repairs {
		t.Errorf("%d calls of tools, %+v", results, clerk)
	}
	groups := map[string]bool{}
	for _, a := range team[1:] {
		groups[a.Group] = true
		if spent := r.Spent[a.ID]; spent.Calls < 2 || spent.InputTokens < 1000 || spent.OutputTokens == 0 {
			t.Errorf("%s spent %+v", a.ID, spent)
		}
	}
	all, account := r.SpentInAll(), budget.Account()
	if len(groups) != 5 || int(pieces.Load()) < all.Calls {
		t.Errorf("groups %v; %d pieces of %d answers", groups, pieces.Load(), all.Calls)
	}
	if account.Spent.Tokens != all.InputTokens+all.OutputTokens+account.Open.Tokens || account.Reserved.Tokens != 0 || account.Over.Tokens != 0 {
		t.Errorf("the budget has %+v, the result %+v", account, all)
	}
	t.Logf("%v: %s; %v; %d calls of tools; %+v", r.Stop, r.Detail, stances, results, all)

	kept, err := journal.ReadResults(store)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := solveWith(t, t.Context(), swarm.Options{Limits: swarm.Limits{Rounds: 2, Deadline: 5 * time.Minute}, Agents: judges(func(name string) models.Model {
		return cassette.Replay(models.ID{Provider: "ollama", Name: name}, kept)
	}, nil)})
	if again != recorded {
		t.Errorf("the logs differ:\n%s\n%s", recorded, again)
	}
}

// TestOllamaVectorsMakeOneProposalOfTwoThatAreAlike: those of this model are alike where
// texts end alike.
func TestOllamaVectorsMakeOneProposalOfTwoThatAreAlike(t *testing.T) {
	base := ollama.Serve(t, homemade[0])
	_, r := solveWith(t, t.Context(), swarm.Options{
		Agents: []*agents.Agent{
			proposes("ann", "Retry five times with full jitter"), proposes("bob", "Rewrite it in another language"), proposes("eve", "Retry 5 times with jitter"),
		},
		Same: models.Alike(local(t, base, "judge-1"), 0.9),
	})
	var same []runlog.Same
	for _, s := range r.Log {
		if s, ok := signals.As[runlog.Same](s); ok {
			same = append(same, s.Payload)
		}
	}
	if want := []runlog.Same{{ProposalID: "eve", As: "ann"}}; !slices.Equal(same, want) {
		t.Errorf("got %+v, want %+v", same, want)
	}
}
