package a2a_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/a2a"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// states are those of one solve, each of which is there when a client has seen the one before.
type states struct {
	api.Solves
	all []api.SolveDetail
}

func (s *states) Teams(context.Context) ([]api.Team, error) {
	return []api.Team{{Name: "platform"}}, nil
}

func (s *states) Get(context.Context, string, uint64) (api.SolveDetail, error) { return s.all[0], nil }

func (s *states) Changed(context.Context, api.Solve) error {
	s.all = s.all[1:]
	return nil
}

func TestAStreamHasWhatAgentsAreSayingEachTimeItChanges(t *testing.T) {
	t.Parallel()
	of := func(state string, saying map[string]string) api.SolveDetail {
		return api.SolveDetail{Solve: api.Solve{ID: "r.s", Team: "platform", State: state, Saying: saying}}
	}
	backend := &api.Backend{Solves: &states{all: []api.SolveDetail{
		of(api.Running, map[string]string{"ann": "blue"}), of(api.Running, map[string]string{"ann": "blue", "bob": "red"}),
		of(api.Running, map[string]string{"ann": "blue is best", "bob": "red"}), of(api.Running, nil), of(api.Undecided, nil),
	}}}
	made, err := a2a.New(t.Context(), a2a.Options{Backend: backend})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(made.Handler())
	defer web.Close()
	var said []string
	for _, e := range (&server{t, web.URL, "platform", backend}).stream("tasks/resubscribe", `{"id":"r.s"}`) {
		if e.Metadata["saying"] != nil {
			said = append(said, e.Status.Message.Parts[0].Text)
		}
	}
	if want := []string{"ann is saying: blue", "bob is saying: red", "ann is saying: blue is best"}; !slices.Equal(said, want) {
		t.Errorf("got %q", said)
	}
}
