package otel_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/otel/oteltest"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/office"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// twoRooms is an office in which Reed asks a model and calls a tool, and Veda sends mail to Via
// in another room.
const twoRooms = `
models: {m: {provider: ollama, name: tiny}}
agents:
  - {name: Reed, rooms: [ops], model: m, tools: {audit: allow}}
  - {name: Veda, rooms: [ops], script: [{when: whole, say: "Approve it, Via.", to: [Via]}]}
  - {name: Via, rooms: [front], script: [{when: approve, say: Approved.}]}
`

// asksTheTool is a model that calls the tool, and then answers.
func asksTheTool(_ context.Context, r *models.Request) (*models.Answer, error) {
	if len(r.Messages) == 1 && len(r.Tools) > 0 {
		return &models.Answer{Calls: []models.Call{{ID: "1", Name: "audit", Args: []byte(`{}`)}}}, nil
	}
	return models.Text("All whole."), nil
}

// opened returns a router of the office.
func opened(t *testing.T, store journal.Store, keys string) *rooms.Router {
	t.Helper()
	o, err := office.Parse("f.yaml", []byte(twoRooms))
	if err != nil {
		t.Fatal(err)
	}
	options, err := o.Build(office.Parts{
		Store: store, Keys: &events.Keys{Dir: keys},
		Model: func(m teams.Model) (models.Model, error) {
			return &models.Scripted{Name: m.Name, Answer: asksTheTool}, nil
		},
		Tools: []tools.Source{tools.Func("audit", "", tools.Hints{}, func(context.Context, struct{}) (string, error) { return "my secret", nil })},
	})
	if err != nil {
		t.Fatal(err)
	}
	options.Turns = 1
	r, err := rooms.New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// answers runs a router until no member has anything to answer, and closes it.
func (r *trace) answers(t *testing.T, router *rooms.Router) {
	t.Helper()
	ctx, cancel := context.WithCancel(hooks.With(context.Background(), r))
	ran := make(chan error, 1)
	go func() { ran <- router.Run(ctx) }()
	idle := router.Idle(ctx)
	cancel()
	if err := <-ran; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := errors.Join(idle, router.Close(context.Background())); err != nil {
		t.Fatal(err)
	}
}

func (r *trace) says(t *testing.T, router *rooms.Router, text string) {
	t.Helper()
	if _, err := router.Say(hooks.With(t.Context(), r), "ops", rooms.Message{Content: text}); err != nil {
		t.Fatal(err)
	}
}

func TestMessageInARoomIsOneTrace(t *testing.T) {
	r := newTrace(t, otel.Options{})
	router := opened(t, new(journal.Memory), t.TempDir())
	r.says(t, router, "Is it whole?")
	r.answers(t, router)
	golden(t, "rooms.txt", oteltest.Tree(r.spans(t), "gen_ai.conversation.id", "swarmbus.turn.heard"))
}

func TestTraceOfAMessageGoesOnAfterARestart(t *testing.T) {
	r := newTrace(t, otel.Options{})
	store, keys := new(journal.Memory), t.TempDir()
	first := opened(t, store, keys)
	r.says(t, first, "Is it whole?")
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.answers(t, opened(t, store, keys))
	if diff := cmp.Diff(expected(t, "rooms.txt"), oteltest.Tree(r.spans(t), "gen_ai.conversation.id", "swarmbus.turn.heard")); diff != "" {
		t.Errorf("after a restart (-want +got):\n%s", diff)
	}
}
