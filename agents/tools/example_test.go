package tools_test

import (
	"context"
	"fmt"
	"iter"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
)

// A reactor without a model calls a tool, and emits the result for the other agents.
func ExampleSet_Begin() {
	set := tools.Of(tools.Func("forecast", "Tells the weather.", tools.Hints{ReadsOnly: true}, forecast))
	guide := &agents.Agent{ID: "guide", Reactor: agents.Func(func(ctx context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
		calls, err := set.Begin(ctx)
		if err != nil {
			return agents.Fail(err)
		}
		made, err := calls.Make(ctx, models.Call{Name: "forecast", Args: []byte(`{"city":"Bern"}`)})
		if err != nil {
			return agents.Fail(err)
		}
		return agents.Emit(made[0].Signal(t.Agent))
	})}
	said, err := guide.Take(context.Background(), &agents.Turn{Thread: "t", Round: 1})
	fmt.Println(said[0].Kind(), said[0].Body().(signals.ToolResult).Result, err)
	// Output: tool:result {"sky":"clear"} <nil>
}

// A call that a person has to allow ends the turn with a question.
func ExampleCalls_Make_asked() {
	set := tools.Of(tools.Func("send", "Sends a message.", tools.Hints{}, func(context.Context, struct {
		To string `json:"to"`
	},
	) (string, error) {
		return "sent", nil
	}))
	set.May = []tools.Rule{{Tools: "send", Policy: tools.Ask}}
	_, err := makes(context.Background(), set, models.Call{ID: "1", Name: "send", Args: []byte(`{"to":"all"}`)})
	for _, call := range asking.Asked(err) {
		fmt.Println(call, call.ID)
	}
	// Output: ann wants to call send with {"to":"all"}: this tool needs a person's approval 48817f5b4d4a76536bab56cda764bab9
}
