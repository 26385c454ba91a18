package office

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/rooms"
)

// mostCalls is the maximum number of answers with calls in a turn.
const mostCalls = 8

// answer asks until the model makes no more calls.
func (t *Talker) answer(ctx context.Context, room *rooms.Turn, ask *models.Request) (*models.Answer, error) {
	calls, err := t.Tools.Begin(ctx)
	if err != nil {
		return nil, err
	}
	ask.Tools = calls.Offer()
	for n := 1; ; n++ {
		a, err := models.Ask(ctx, t.Model, ask)
		if err != nil || len(a.Calls) == 0 || n > mostCalls {
			return a, err
		}
		results := models.Message{Role: models.RoleUser}
		for _, c := range a.Calls {
			r, err := seen(ctx, room, calls, c)
			if err != nil {
				return nil, err
			}
			results.Results = append(results.Results, r)
		}
		ask.Messages = append(ask.Messages, a.Message(), results)
		ask.NoCalls = n == mostCalls
	}
}

// seen makes a call as events of the room. The model gets the whole result, as data; later
// prompts have its stub.
func seen(ctx context.Context, room *rooms.Turn, calls *tools.Calls, c models.Call) (r models.Result, err error) {
	args := map[string]any{}
	_ = json.Unmarshal(c.Args, &args) // those that are no object are refused when the call is made
	call := rooms.Call{Tool: c.Name, Args: args, Reports: true, Repeats: calls.Repeats(c.Name)}
	called, err := room.Call(ctx, call, func(ctx context.Context) (string, error) { return resultOf(ctx, calls, c) })
	return models.Result{Call: c.ID, Text: fmt.Sprintf(`{"result":%s}`, text.Prompt(called.Result, quoted)), IsError: called.Failed}, err
}

// resultOf makes a call, or returns its recorded result. A call whose policy is "ask" is
// refused. A call that may have been made is made as a new one, since the user chose to
// repeat it.
func resultOf(ctx context.Context, calls *tools.Calls, c models.Call) (string, error) {
	all, err := calls.Make(ctx, c)
	if rooms.Again(ctx) && asking.Asked(err) != nil {
		all, err = calls.Make(ctx, c)
	}
	if asks := asking.Asked(err); asks != nil {
		return "", fmt.Errorf("%s is refused: %s, and nobody is asked in a room: the roster has to allow it", asks[0].Tool, asks[0].Why)
	}
	switch {
	case err != nil:
		return "", err
	case all[0].IsError:
		return "", errors.New(all[0].Text)
	}
	return all[0].Text, nil
}
