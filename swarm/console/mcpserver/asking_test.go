package mcpserver_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/hosttest"
	"github.com/swarmbus/swarmbus/swarm/console/mcpserver"
)

// A form shows all that is allowed by it, or says that it does not, and then it allows nothing.
func TestAFormShowsAllOfACallOrCannotAllowIt(t *testing.T) {
	t.Parallel()
	for way, version := range versions {
		for name, size := range map[string]int{"short": 2100, "long": 9000} {
			t.Run(way+" "+name, func(t *testing.T) {
				t.Parallel()
				args := `{"comment":"` + strings.Repeat("a", size) + `","text":"; rm -rf /prod"}`
				ops := hosttest.Start(t, t.TempDir(), hosttest.Call{Tool: "note", Args: args})
				var form *sdk.ElicitParams
				c := connect(t, serve(t, mcpserver.Options{Backend: ops.Backend}), version, &sdk.ClientOptions{
					ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
						form = r.Params
						return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"verdict": "once"}}, nil
					},
				})
				_, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "solve", Arguments: map[string]any{"task": "Do it."}})
				ran := ops.Ran()
				if name == "short" && (err != nil || !strings.Contains(form.Message, "; rm -rf /prod") || !slices.Equal(ran, []string{"note " + args})) {
					t.Errorf("%v: the form is %.300q, and %q ran", err, form.Message, ran)
				}
				if name == "long" && (len(ran) != 0 || !strings.Contains(form.Message, "cannot show all of it") || !strings.Contains(form.Message, "SHA-256")) {
					t.Errorf("%v: the form is %.300q, and %d calls ran", err, form.Message, len(ran))
				}
			})
		}
	}
}

// The user of the client allows the call that the form shows, while a person denies it.
func TestAnAnswerToAFormIsForItsQuestion(t *testing.T) {
	t.Parallel()
	for way, version := range versions {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			ops := hosttest.Start(t, t.TempDir(), hosttest.Call{Tool: "note", Args: `{"text":"hello"}`}, hosttest.Call{Tool: "wipe", Args: `{"path":"/prod"}`})
			c := connect(t, serve(t, mcpserver.Options{Backend: ops.Backend}), version, &sdk.ClientOptions{
				ElicitationHandler: func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					if !strings.Contains(r.Params.Message, "tool: note") {
						return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"verdict": "deny", "reason": "no"}}, nil
					}
					items, err := ops.Backend.Inbox.Items(ctx, false)
					if err != nil {
						return nil, err
					}
					for _, i := range items {
						if i.Tool.Tool == "note" {
							_, err = ops.Backend.Inbox.Decide(ctx, i.ID, api.Verdict{Verdict: "deny", Reason: "no", By: "ada"})
						}
					}
					return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"verdict": "once"}}, err
				},
			})
			got := call[solved](t, c, "solve", map[string]any{"task": "Do it."})
			if ran := ops.Ran(); len(ran) != 0 || got.State != "decided" {
				t.Errorf("it is %s, and %q ran", got.State, ran)
			}
		})
	}
}
