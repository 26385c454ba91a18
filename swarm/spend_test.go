package swarm_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

func TestSpendingIsCountedByAgentAlsoOfTurnsThatFail(t *testing.T) {
	spends := func(id string, s agents.Cost, err error) *agents.Agent {
		return &agents.Agent{ID: id, Reactor: agents.Func(func(ctx context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
			agents.Spend(ctx, s)
			agents.Spend(ctx, s)
			if err != nil {
				return agents.Fail(err)
			}
			if turn.Round > 1 {
				return agents.Emit()
			}
			return agents.Emit(agents.Propose(id, "content of "+id, 1, ""), agents.Agree(id, 1, ""))
		})}
	}
	one := agents.Cost{Calls: 1, InputTokens: 10, CachedTokens: 4, OutputTokens: 3, Dollars: 0.25, Time: time.Second, Repairs: 1, Refusals: 2}
	s, err := swarm.New(swarm.Options{Seed: 1, Agents: []*agents.Agent{
		spends("good", one, nil), spends("bad", agents.Cost{Calls: 1}, context.Canceled), {ID: "free", Reactor: agents.Each(nil), Listens: []signals.Kind{}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var text, lines bytes.Buffer
	asText, asJSON := transcript.Text(&text, nil), transcript.JSON(&lines)
	var r *solves.Result
	for e, err := range s.Stream(t.Context(), signals.Task{Task: "?"}) {
		if err != nil {
			t.Fatal(err)
		}
		if err := asText(e); err != nil {
			t.Fatal(err)
		}
		if err := asJSON(e); err != nil {
			t.Fatal(err)
		}
		if stopped, ok := e.(solves.Stopped); ok {
			r = stopped.Result
		}
	}
	turns := map[string]int{}
	for id, got := range r.Spent {
		turns[id] = got.Calls / 2
		want := agents.Cost{}
		for range turns[id] * 2 {
			want = want.Plus(map[string]agents.Cost{"good": one, "bad": {Calls: 1}}[id])
		}
		if got != want {
			t.Errorf("%s spent %+v, want %+v", id, got, want)
		}
	}
	if len(r.Spent) != 2 || turns["good"] < 1 || turns["bad"] < 1 || r.SpentInAll().Calls != 2*(turns["good"]+turns["bad"]) {
		t.Errorf("spent %+v", r.Spent)
	}
	if !strings.Contains(text.String(), "spent") || !strings.Contains(text.String(), "(8 cached)") && turns["good"] == 1 || !strings.Contains(lines.String(), `"spent":{"bad":{"calls":`) {
		t.Errorf("the transcripts do not tell:\n%s\n%s", text.String(), lines.String())
	}
}

func TestSwarmWhoseAgentsMaySpendNothingStopsForTheBudget(t *testing.T) {
	s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{{ID: "poor", Reactor: agents.Func(
		func(context.Context, *agents.Turn) iter.Seq2[signals.Any, error] {
			return agents.Fail(fmt.Errorf("too dear: %w", agents.ErrBudget))
		},
	)}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r, err := s.Solve(t.Context(), signals.Task{Task: "?"}); err != nil || r.Stop != runlog.StopBudget {
		t.Errorf("%v, %+v", err, r)
	}
}
