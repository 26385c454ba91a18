package mcpserver_test

import (
	"context"
	"errors"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/mcpserver"
)

// starting is a backend that keeps what it is to start.
type starting struct {
	api.Solves
	got api.NewSolve
}

func (s *starting) Teams(context.Context) ([]api.Team, error) {
	return []api.Team{{Name: "platform"}}, nil
}

func (s *starting) Start(_ context.Context, n api.NewSolve) (api.Solve, error) {
	s.got = n
	return api.Solve{}, errors.New("that is enough")
}

func TestAClientSaysOfWhatKindATaskIs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args map[string]any
		want [2]string
	}{
		"nothing":      {nil, [2]string{"", ""}},
		"facts differ": {map[string]any{"factsDiffer": true}, [2]string{"true", ""}},
		"both":         {map[string]any{"factsDiffer": false, "checkable": true}, [2]string{"false", "true"}},
	} {
		solves := &starting{}
		session := connect(t, serve(t, mcpserver.Options{Backend: &api.Backend{Solves: solves}}), "", nil)
		args := map[string]any{"task": decides}
		for key, value := range c.args {
			args[key] = value
		}
		if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "solve", Arguments: args}); err != nil {
			t.Fatal(err)
		}
		if got := [2]string{said(solves.got.FactsDiffer), said(solves.got.Checkable)}; got != c.want || solves.got.Task != decides {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func said(b *bool) string {
	switch {
	case b == nil:
		return ""
	case *b:
		return "true"
	}
	return "false"
}
