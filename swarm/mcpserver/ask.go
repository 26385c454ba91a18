package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// byResult is the first version of the protocol in which a tool asks by its result, and is
// called again with the answers. Before, it asks while it is called.
const byResult = "2026-07-28"

// canAsk reports whether the client can ask its user with a form.
func (f *following) canAsk() bool {
	can := f.req.ClientCapabilities()
	return can != nil && can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

// forms are the questions as requests to the client, by the ids of their items.
func forms(items []api.Item) sdk.InputRequestMap {
	all := sdk.InputRequestMap{}
	for _, i := range items {
		all[i.ID] = form(i)
	}
	return all
}

// form is a question as a form for the user. Texts of agents are cut, printable, and quoted
// in ours.
func form(i api.Item) *sdk.ElicitParams {
	if i.Tool != nil {
		allow := []any{"once", "deny"}
		if i.Tool.Solve {
			allow = []any{"once", "solve", "deny"}
		}
		return &sdk.ElicitParams{
			Message: fmt.Sprintf("The agent %s wants to call the tool %s with %s. The policy says: %s.", line(i.Asks, 64), line(i.Tool.Tool, 128), line(string(i.Tool.Args), 2000), line(i.Reason, 500)),
			RequestedSchema: &jsonschema.Schema{Type: "object", Required: []string{"verdict"}, Properties: map[string]*jsonschema.Schema{
				"verdict": {Type: "string", Enum: allow, Description: "Allow it once, for the whole solve, or deny it"},
				"reason":  {Type: "string", Description: "Required to deny it: the agent sees it"},
			}},
		}
	}
	message := fmt.Sprintf("%s asks: %s", line(i.Asks, 64), line(i.Reason, 2000))
	if i.Context != "" {
		message += "\n\n" + line(i.Context, 4000)
	}
	form := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
		"answer": {Type: "string", Description: "Passed to all agents"},
	}}
	if len(i.Options) > 0 {
		vote := &jsonschema.Schema{Type: "string", Enum: []any{""}, Description: "Your vote for a proposal, if you have one"}
		message += "\n"
		for _, o := range i.Options {
			vote.Enum = append(vote.Enum, o.Letter)
			message += fmt.Sprintf("\n%s: %s (support %.2f)", o.Letter, line(o.Content, 500), o.Support)
		}
		form.Properties["vote"] = vote
	}
	return &sdk.ElicitParams{Message: message, RequestedSchema: form}
}

// ask asks the questions one by one, while the tool is called.
func (f *following) ask(ctx context.Context, items []api.Item) error {
	for _, i := range items {
		said, err := f.req.Session.Elicit(ctx, form(i))
		if err != nil {
			return fmt.Errorf("asking the user: %w", err)
		}
		if err := f.answer(ctx, i, said); err != nil {
			return err
		}
	}
	return nil
}

// answers takes the answers with which the client calls again.
func (f *following) answers(ctx context.Context) error {
	items, err := f.open(ctx)
	if err != nil {
		return err
	}
	for _, i := range items {
		said, ok := f.req.Params.InputResponses[i.ID].(*sdk.ElicitResult)
		if !ok {
			continue // it was asked since
		}
		if err := f.answer(ctx, i, said); err != nil {
			return err
		}
	}
	return nil
}

// answer passes an answer on. The first one counts: if the user of another client, or of the
// console, was faster, the solve goes on from theirs.
func (f *following) answer(ctx context.Context, i api.Item, said *sdk.ElicitResult) (err error) {
	if said.Action != "accept" {
		f.declined = true
		return nil
	}
	text, _ := json.Marshal(said.Content) // it was decoded from JSON
	var in struct{ Answer, Vote, Verdict, Reason string }
	if err := json.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("the answer is not what was asked for: %w", err)
	}
	if i.Tool != nil {
		_, err = f.s.o.Backend.Inbox.Decide(ctx, i.ID, api.Verdict{Verdict: in.Verdict, Reason: in.Reason})
	} else {
		for _, o := range i.Options {
			if in.Vote == o.Letter {
				in.Vote = o.Proposal
				break
			}
		}
		_, err = f.s.o.Backend.Inbox.Answer(ctx, i.ID, api.Answer{Text: in.Answer, Vote: in.Vote})
	}
	if first := (*api.Error)(nil); errors.As(err, &first) && first.Status == http.StatusConflict {
		return nil
	}
	return err
}
