package office_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/office"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

const writesFiles = `
models: {m: {provider: ollama, name: tiny}}
servers: {files: {command: [files]}}
agents:
  - {name: Reed, rooms: [ops], model: m, tools: {"files/*": allow}}
`

// TestToolThatWasRunningIsRepeatedByItsHintsOrByTheUser ends the process while a call of a
// model's runs. No request to the model is repeated.
func TestToolThatWasRunningIsRepeatedByItsHintsOrByTheUser(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hints  tools.Hints
		answer string
		calls  int32
		said   string
	}{
		"it only reads":       {tools.Hints{ReadsOnly: true}, "", 2, `{"result":"call 2"}`},
		"it is repeatable":    {tools.Hints{Repeatable: true}, "", 2, `{"result":"call 2"}`},
		"the user repeats it": {tools.Hints{}, "repeat §1", 2, `{"result":"call 2"}`},
		"the user skips it": {
			tools.Hints{},
			"skip §1", 1,
			`{"result":"it was running when the process ended, so it may have been done; the user says not to repeat it"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked, made atomic.Int32
			called := make(chan struct{}, 1)
			tool := tools.Tool{
				Spec: tools.Spec{Server: "files", Name: "write", Input: []byte(`{"type":"object"}`), Hints: test.hints},
				Call: func(ctx context.Context, _ json.RawMessage) (tools.Result, error) {
					if n := made.Add(1); n > 1 {
						return tools.Result{Text: fmt.Sprint("call ", n)}, nil
					}
					called <- struct{}{}
					<-ctx.Done()
					return tools.Result{}, context.Cause(ctx)
				},
			}
			model := &models.Scripted{Name: "tiny", Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
				asked.Add(1)
				if last := r.Messages[len(r.Messages)-1]; len(last.Results) > 0 {
					return models.Text(last.Results[0].Text), nil
				}
				return &models.Answer{Finish: models.FinishCalls, Calls: []models.Call{{ID: "1", Name: "files__write", Args: []byte(`{"name":"a"}`)}}}, nil
			}}
			store, keys := new(journal.Memory), t.TempDir()
			live := func() (*rooms.Router, func()) {
				t.Helper()
				o, err := office.Parse("f.yaml", []byte(writesFiles))
				if err != nil {
					t.Fatal(err)
				}
				options, err := o.Build(office.Parts{
					Store: store, Keys: &events.Keys{Dir: keys}, Tools: []tools.Source{tool},
					Model: func(teams.Model) (models.Model, error) { return model, nil },
				})
				if err != nil {
					t.Fatal(err)
				}
				return runs(t, options)
			}
			first, stop := live()
			if _, err := first.Say(t.Context(), "ops", rooms.Message{Content: "Go"}); err != nil {
				t.Fatal(err)
			}
			<-called
			stop()
			second, stop := live()
			if err := second.Idle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if test.answer != "" {
				if _, err := second.Say(t.Context(), "ops", rooms.Message{Content: test.answer}); err != nil {
					t.Fatal(err)
				}
				if err := second.Idle(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			stop()
			said := ""
			for e, err := range rooms.Log(store, 0) {
				if d, ok := e.Body.(events.Dialogue); ok && err == nil {
					said += d.Content
				}
			}
			if made.Load() != test.calls || asked.Load() != 2 || said != test.said {
				t.Errorf("%d calls, the model is asked %d times, Reed says %s; want %d calls, 2 and %s", made.Load(), asked.Load(), said, test.calls, test.said)
			}
		})
	}
}
