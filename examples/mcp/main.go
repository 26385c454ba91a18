// Mcp is an assistant that asks a team for a second opinion: a client of the Model Context
// Protocol that starts "swarmbus mcp" with the scripted team of the demo. Mcp.json and
// vscode.json beside it configure editors to do the same with a team of models.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if err := ask(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func ask(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "swarmbus-mcp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is temporary
	// The team asks a person, and the client asks its user.
	client := mcp.NewClient(&mcp.Implementation{Name: "assistant", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			fmt.Println(r.Params.Message)
			fmt.Println("> seven-days")
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"vote": "seven-days"}}, nil
		},
	})
	server := exec.CommandContext(ctx, "go", "run", "github.com/swarmbus/swarmbus/cmd/swarmbus", "mcp", "--demo", "--dir", dir)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		return err
	}
	defer session.Close() //nolint:errcheck // the server ends with it
	var solved struct {
		Solve, Answer string
		Decision      struct{ Reason string }
	}
	if err := call(ctx, session, "solve", map[string]any{"task": "How long may we keep the raw access logs?"}, &solved); err != nil {
		return err
	}
	fmt.Printf("\nThe team: %s\n%s\n", solved.Answer, solved.Decision.Reason)
	var why struct {
		RestsOn   []struct{ Voter string }
		Otherwise []struct {
			Strategy, Outcome string
			Threshold         float64
		}
	}
	if err := call(ctx, session, "why", map[string]any{"solve": solved.Solve}, &why); err != nil {
		return err
	}
	fmt.Printf("It rests on %d voters; %d of the other ways to count would decide otherwise.\n", len(why.RestsOn), len(why.Otherwise))
	return nil
}

// call calls a tool of the server.
func call(ctx context.Context, session *mcp.ClientSession, tool string, args map[string]any, out any) error {
	r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err
	}
	if r.IsError {
		return fmt.Errorf("%s: %v", tool, r.Content[0])
	}
	text, err := json.Marshal(r.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}
