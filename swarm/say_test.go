package swarm_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// What a person says while a solve runs is decided about by the routes of each agent, and heard by
// the others, also by those that list what they listen to.
func TestAPersonsMessageMeetsTheRoutesOfARunningSolve(t *testing.T) {
	var quiet, busy, plugged ear
	var s *swarm.Swarm
	deny := func(in routing.Config) *routing.Router { return router(t, in) }
	refuses := []routing.Route{{Kind: routing.KindUserMessage, Action: routing.Reject}}
	takes := []routing.Route{{Kind: routing.KindUserMessage, Action: routing.Continue, Priority: 100}}
	s = newSwarm(t, swarm.Options{
		Agents: []*agents.Agent{
			{ID: "quiet", Listens: []signals.Kind{signals.KindTask}, Reactor: quiet.reactor()},
			{ID: "busy", Reactor: busy.reactor(), Router: deny(routing.Config{Strategy: routing.Strategy{Routes: refuses}, Agent: takes})},
			{ID: "plugged", Reactor: plugged.reactor(), Router: deny(routing.Config{Agent: takes, Plugins: []routing.Plugin{{Name: "limit", Routes: refuses}}})},
		},
		Hook: &afterRound{func(thread string) {
			if err := s.Say(t.Context(), thread, runlog.Message{Text: "ten, not twenty"}); err != nil {
				t.Error(err)
			}
		}},
	})
	r := solve(t, s)
	for agent, of := range map[string]struct {
		ear   ear
		hears bool
	}{"quiet": {quiet, true}, "busy": {busy, false}, "plugged": {plugged, true}} {
		if got := slices.Contains(of.ear.fresh, routing.KindUserMessage); got != of.hears {
			t.Errorf("%s: heard %t, want %t", agent, got, of.hears)
		}
	}
	if !slices.ContainsFunc(r.Log, func(said signals.Any) bool { return said.Head().Source == runlog.Person }) {
		t.Error("the log does not say that a person said it")
	}
}

// A message has those who are to hear it, and nobody says it in the name of an agent, to a stranger,
// or where nobody would hear it.
func TestAMessageIsForAgentsOfASolveThatIsNotOver(t *testing.T) {
	var ann, ben ear
	var s *swarm.Swarm
	s = newSwarm(t, swarm.Options{
		Agents: []*agents.Agent{{ID: "ann", Reactor: ann.reactor()}, {ID: "ben", Reactor: ben.reactor()}},
		Hook: &afterRound{func(thread string) {
			for field, m := range map[string]runlog.Message{
				"by":    {Text: "x", By: " Ann"},
				"to[1]": {Text: "x", To: []string{"ben", "carl"}},
				"text":  {},
			} {
				var wrong *signals.FieldError
				if err := s.Say(t.Context(), thread, m); !errors.As(err, &wrong) || wrong.Field != field {
					t.Errorf("%+v: got %v, want an error of %s", m, err, field)
				}
			}
			if err := s.Say(t.Context(), thread, runlog.Message{Text: "you alone", To: []string{"ben"}, By: "ada"}); err != nil {
				t.Error(err)
			}
		}},
	})
	r := solve(t, s)
	if slices.Contains(ann.fresh, routing.KindUserMessage) || !slices.Contains(ben.fresh, routing.KindUserMessage) {
		t.Errorf("ann got %v, ben %v", ann.fresh, ben.fresh)
	}
	for _, thread := range []string{r.Thread, "another"} {
		if err := s.Say(t.Context(), thread, runlog.Message{Text: "x"}); !errors.Is(err, runlog.ErrLog) {
			t.Errorf("thread %q after %s: got %v, want that nobody hears it", thread, r.Stop, err)
		}
	}
}
