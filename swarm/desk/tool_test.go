package desk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// delegates is a team of one who proposes what the team behind a tool answers.
func delegates(tool *tools.Tool) swarm.Options {
	return swarm.Options{Quorum: 1, Seed: 2, Agents: []*agents.Agent{{ID: "chief", Reactor: agents.Func(func(ctx context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
		if turn.Round > 1 {
			return agents.Emit()
		}
		args, err := json.Marshal(turn.Task)
		if err != nil {
			return agents.Fail(err)
		}
		got, err := tool.Call(ctx, args)
		if err != nil {
			return agents.Fail(err)
		}
		return agents.Emit(agents.Propose("p", got.Text, 0.9, "the others say so"), agents.Agree("p", 0.9, "it fits"))
	})}}}
}

func answerOf(t *testing.T, d *desk.Desk, task string) (r *solves.Result) {
	t.Helper()
	for e, err := range d.Solve(t.Context(), desk.Task{Task: signals.Task{Task: task}}) {
		if err != nil {
			t.Fatal(err)
		}
		if stopped, ok := e.(solves.Stopped); ok {
			r = stopped.Result
		}
	}
	return r
}

// An agent gives another team a task in its turn, whose solve is in the log of that team.
func TestATeamIsATool(t *testing.T) {
	log := new(journal.Memory)
	inner := open(t, desk.Team{Name: "inner", Open: desk.Made(pair(free()))}, desk.NewLocal(log, nil), desk.Options{})
	tool := inner.Tool("ask_team", "decides")
	if err := tool.Validate(); err != nil {
		t.Fatal(err)
	}
	outer := open(t, desk.Team{Name: "outer", Open: desk.Made(delegates(&tool))}, desk.NewLocal(nil, nil), desk.Options{})
	r := answerOf(t, outer, "blue")
	all, err := solves.List(log)
	if err != nil || len(all) != 1 || all[0].Task.Task != "blue" {
		t.Fatalf("the log of the other team has %v, %v", all, err)
	}
	if want := fmt.Sprintf("blue\n(consensus, solve %s: ", all[0].Thread); !strings.HasPrefix(r.Answer, want) {
		t.Errorf("got %q, want it to begin with %q", r.Answer, want)
	}
}

// Teams that ask each other without end are told so, and all of them still decide.
func TestTeamsThatWorkForEachOtherHaveADepth(t *testing.T) {
	var tool tools.Tool
	d := open(t, desk.Team{Open: desk.Made(delegates(&tool))}, desk.NewLocal(nil, nil), desk.Options{})
	tool = d.Tool("ask_self", "decides")
	if r := answerOf(t, d, "blue"); !strings.Contains(r.Answer, "was not asked: 3 teams work for each other") || strings.Count(r.Answer, "(consensus, solve ") != 3 {
		t.Errorf("got %s, %q", r.Stop, r.Answer)
	}
}

// A chief asks another team, and proposes its answer.
func ExampleDesk_Tool() {
	ctx := context.Background()
	inner, err := desk.Open(ctx, desk.Team{Name: "painters", Open: desk.Made(pair(free()))}, desk.NewLocal(nil, nil), desk.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer inner.Close(ctx)
	tool := inner.Tool("ask_painters", "Decides on colours.")
	outer, err := desk.Open(ctx, desk.Team{Open: desk.Made(delegates(&tool))}, desk.NewLocal(nil, nil), desk.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer outer.Close(ctx)
	for e := range outer.Solve(ctx, desk.Task{Task: signals.Task{Task: "blue"}}) {
		if stopped, ok := e.(solves.Stopped); ok {
			answer, _, _ := strings.Cut(stopped.Result.Answer, ":")
			fmt.Println(answer)
		}
	}
	// Output:
	// blue
	// (consensus, solve solve-00000001-1
}
