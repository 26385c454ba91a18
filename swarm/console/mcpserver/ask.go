package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/internal/text"
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

// longest is the most bytes of a question that a form shows.
const longest = 8 << 10

// form is a question as a form for the user. One that is too long for it says so, and can only be
// denied.
func form(i api.Item) *sdk.ElicitParams {
	all, _ := json.Marshal(i.Schema) // it comes from JSON
	schema := &jsonschema.Schema{}
	_ = json.Unmarshal(all, schema)
	words := i.Words
	if len(words) > longest {
		where := fmt.Sprintf(" (the beginning of %d bytes with the SHA-256 %x. This form cannot show all of it: read it in the console or with swarmbus answer, and answer there)", len(words), sha256.Sum256([]byte(words)))
		words = text.Fit(words, longest-len(where)) + where
		if verdict := schema.Properties["verdict"]; verdict != nil {
			verdict.Enum = []any{"deny"}
			delete(schema.Properties, "args")
		}
	}
	return &sdk.ElicitParams{Message: words, RequestedSchema: schema}
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
	content, _ := json.Marshal(said.Content) // it was decoded from JSON
	var in api.Reply
	if err := json.Unmarshal(content, &in); err != nil {
		return fmt.Errorf("the answer is not what was asked for: %w", err)
	}
	if i.Tool != nil && len(i.Words) > longest && in.Verdict != "deny" {
		return fmt.Errorf("the form did not show all of the call of %s: it can be denied here, and allowed in the console", line(i.Tool.Tool, 128))
	}
	_, err = f.s.o.Backend.Reply(ctx, i.ID, in)
	return err
}
