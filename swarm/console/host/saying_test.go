package host_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// A model says a piece of its first answer, and the rest when it may; its second one takes until the end.
func TestWhatAnAgentIsSayingIsShownUntilItsAnswerIsComplete(t *testing.T) {
	t.Parallel()
	begin, more, held := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var calls atomic.Int32
	h, _ := open(t, t.TempDir(), func(team *host.Team) {
		team.File = &teams.Team{Models: map[string]teams.Model{"m": {Provider: teams.Ollama, Name: "m"}}, Agents: []teams.Agent{{ID: "ann", Role: "You help.", Model: "m"}, {ID: "bob", Role: "You help.", Model: "m"}}}
		team.Open = desk.Opener(team.File, desk.Openers{Models: func(*teams.Team) (map[string]models.Model, *limits.Budget, error) {
			return map[string]models.Model{"m": &models.Scripted{Name: "m", Answer: func(ctx context.Context, r *models.Request) (*models.Answer, error) {
				if calls.Add(1) > 1 {
					<-held
					return nil, errors.New("that is all")
				}
				<-begin
				r.Show(models.Piece{Text: `{"say":[{"content":"blue is`})
				<-more
				r.Show(models.Piece{Text: ` best"`})
				return nil, errors.New("that is all")
			}}}, nil, nil
		}})
	})
	b := h.Backend()
	one, err := b.Solves.Start(t.Context(), api.NewSolve{Team: "platform", Task: "which?"})
	if err != nil {
		t.Fatal(err)
	}
	until(t, b, one.ID, func(s api.Solve) bool { return s.State == api.Running })
	close(begin)
	saying := until(t, b, one.ID, func(s api.Solve) bool { return len(s.Saying) > 0 })
	changed := make(chan error, 1)
	go func() { changed <- b.Solves.Changed(t.Context(), saying) }()
	if len(saying.Saying) != 1 || saying.Saying["ann"]+saying.Saying["bob"] != "blue is" {
		t.Errorf("it says %q", saying.Saying)
	}
	close(more)
	if err := <-changed; err != nil {
		t.Error(err)
	}
	until(t, b, one.ID, func(s api.Solve) bool { return s.State == api.Running && len(s.Saying) == 0 })
	close(held)
	until(t, b, one.ID, func(s api.Solve) bool { return s.State != api.Running })
}
