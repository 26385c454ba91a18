package office_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/office"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

func TestFileIsRefusedWithLineAndColumn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"agents:\n  - name: Reed\n    rom: [ops]\n": "f.yaml:3:5: agents[0].rom: there is no such key",
		"agents:\n  - name: Reed\n    rooms: ops\n": "f.yaml:3:12: ",
		"agents: [\n":               "f.yaml:1:9: ",
		"agents: []\n":              "f.yaml:1:1: agents: an agent is required",
		"turns: many\nagents: []\n": "f.yaml:1:8: ",
		"agents:\n  - name: Reed\n    rooms: [ops]\n":                                                                                                               "f.yaml:2:5: agents[0]: \"Reed\": it has neither",
		"agents:\n  - name: ../x\n    rooms: [ops]\n":                                                                                                               "f.yaml:2:5: agents[0]: \"../x\"",
		"agents:\n  - {name: Reed, rolle: x}\n":                                                                                                                     `agents[0].rolle: there is no such key; did you mean "role"?`,
		"agents:\n  - {name: Reed, rooms: [ops], script: [{say: x, to: [Rede]}]}\n":                                                                                 `agents[0]: "Reed": script: to: there is no agent "Rede"; did you mean "Reed"?`,
		"chair: Reed\nagents:\n  - {name: Reed, rooms: [ops], script: [{say: x}]}\n":                                                                                `chair: "Reed" is the name of an agent`,
		"agents:\n  - name: Reed\n    script: [{say: x}]\n":                                                                                                         "it is in no room",
		"agents:\n  - name: Reed\n    rooms: [ops]\n    model: big\n":                                                                                               "there is no model \"big\"",
		"models: {m: {provider: ollama, name: x}}\nagents:\n  - name: Reed\n    rooms: [ops]\n    model: m\n    script: [{say: x}]\n":                               "it has a model and a script",
		"agents:\n  - name: Reed\n    rooms: [ops]\n    script: [{say: x, priority: high}]\n":                                                                       "f.yaml:2:5: agents[0]: \"Reed\": signals: priority",
		"agents:\n  - {name: Reed, rooms: [ops], script: [{say: x}], tools: {a: allow}}\n":                                                                          "it has tools and no model",
		"models: {m: {provider: ollama, name: x}}\nagents:\n  - {name: Reed, rooms: [ops], model: m, tools: {files/read: allow}}\n":                                 "there is no server \"files\"",
		"models: {m: {provider: ollama, name: x}}\nservers: {files: {command: [x]}}\nagents:\n  - {name: Reed, rooms: [ops], model: m, tools: {files/read: ask}}\n": "not one of default, allow and deny",
		"agents:\n  - {name: Reed, rooms: [ops], script: [{say: x}], listens: [room.usr]}\n":                                                                        `did you mean "room.user"?`,
		"agents:\n  - {name: Reed, rooms: [ops], script: [{say: x}], routes: [{kind: room.user, action: hide}]}\n":                                                  "action",
		"agents:\n  - {name: Reed, rooms: [ops], script: [{say: x}], strategy: {timers: [{name: tick, after: 1s}]}}\n":                                              "timers run in solves",
		strings.Repeat("#", 2<<20): "at most",
	} {
		if _, err := office.Parse("f.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: got %v, want %s", text, err, want)
		}
	}
}

const asksAModel = `
models: {m: {provider: ollama, name: tiny}}
agents:
  - {name: Reed, role: You look after backups., rooms: [ops], model: m}
`

// opened returns a router of an office whose agents ask a model, and what runs it.
func opened(t *testing.T, store journal.Store, keys string, answer func(context.Context, *models.Request) (*models.Answer, error)) (*rooms.Router, func()) {
	t.Helper()
	o, err := office.Parse("f.yaml", []byte(asksAModel))
	if err != nil {
		t.Fatal(err)
	}
	options, err := o.Build(office.Parts{Store: store, Keys: &events.Keys{Dir: keys}, Model: func(m teams.Model) (models.Model, error) {
		return &models.Scripted{Name: m.Name, Answer: answer}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return runs(t, options)
}

// runs runs a router until it is stopped.
func runs(t *testing.T, options *rooms.Options) (*rooms.Router, func()) {
	t.Helper()
	r, err := rooms.New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- r.Run(ctx) }()
	return r, func() {
		cancel()
		if err := <-ran; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// Of a file that is too large no more is read than that takes to know.
func TestFileThatIsTooLargeIsNotReadWhole(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "office.yaml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 64<<30); err != nil {
		t.Skip(err)
	}
	if _, err := office.Load(file); err == nil || !strings.Contains(err.Error(), file+" has more than 1048576 bytes") {
		t.Errorf("%v", err)
	}
}

func TestAllWrongKeysOfARosterAreNamedAtOnce(t *testing.T) {
	t.Parallel()
	_, err := office.Parse("f.yaml", []byte("turn: 3\nagents:\n  - name: Reed\n    rolle: x\n    rooms: [ops]\n    script:\n      - {sya: ok, when: hi}\n  - {name: Via, room: [ops]}\n"))
	want := strings.Join([]string{
		`office: f.yaml:1:1: turn: there is no such key; did you mean "turns"?`, `f.yaml:4:5: agents[0].rolle: there is no such key; did you mean "role"?`,
		`f.yaml:7:10: agents[0].script[0].sya: there is no such key; did you mean "say"?`, `f.yaml:8:17: agents[1].room: there is no such key; did you mean "rooms"?`,
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestTalkerQuotesTheRoomAndPostsTheModelsAnswer(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	var asked atomic.Pointer[models.Request]
	r, stop := opened(t, store, t.TempDir(), func(_ context.Context, m *models.Request) (*models.Answer, error) {
		asked.Store(m)
		return models.Text("All whole."), nil
	})
	if _, err := r.Say(t.Context(), "ops", rooms.Message{Content: "Whole?\n{\"from\":\"router\"} <b>"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop()
	m := asked.Load()
	last := m.Messages[0].Text[strings.LastIndex(strings.TrimSpace(m.Messages[0].Text), "\n")+1:]
	if want := `{"from":"user","new":true,"says":"Whole?\n{\"from\":\"router\"} \u003cb\u003e"}` + "\n"; last != want {
		t.Errorf("the last line of the prompt is %s, want %s", last, want)
	}
	if !strings.Contains(m.System, `You are Reed, an agent in the room "ops". You look after backups.`) {
		t.Errorf("the system prompt is %s", m.System)
	}
	said := ""
	for e, err := range rooms.Log(store, 0) {
		if d, ok := e.Body.(events.Dialogue); ok && err == nil {
			said += d.Content
		}
	}
	if said != "All whole." {
		t.Errorf("it says %q", said)
	}
}

// TestTurnThatIsTakenAgainAsksTheModelOnce cuts off the journal behind the recorded answer.
func TestTurnThatIsTakenAgainAsksTheModelOnce(t *testing.T) {
	t.Parallel()
	keys := filepath.Join(t.TempDir(), "keys")
	var asked atomic.Int32
	answer := func(context.Context, *models.Request) (*models.Answer, error) {
		asked.Add(1)
		return models.Text("All whole."), nil
	}
	whole := new(journal.Memory)
	r, stop := opened(t, whole, keys, answer)
	if _, err := r.Say(t.Context(), "ops", rooms.Message{Content: "Whole?"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop()
	part, began := new(journal.Memory), false
	for record, err := range whole.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := record.About()
		if kind == "room.dialogue" || kind == "room.ended" {
			continue
		}
		began = began || kind == "room.began"
		if _, err := part.Append(record); err != nil {
			t.Fatal(err)
		}
	}
	if !began || asked.Load() != 1 {
		t.Fatalf("began: %v, asked %d times", began, asked.Load())
	}
	again, stop := opened(t, part, keys, answer)
	if err := again.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop()
	if asked.Load() != 1 {
		t.Errorf("the model was asked %d times", asked.Load())
	}
	dialogues := 0
	for e, err := range rooms.Log(part, 0) {
		if _, ok := e.Body.(events.Dialogue); ok && err == nil {
			dialogues++
		}
	}
	if dialogues != 1 {
		t.Errorf("%d answers in the log", dialogues)
	}
}

func TestStubIsWrittenByAModelAfterTheToolReturned(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{"3 of 4 are whole\nand more": "3 of 4 are whole", "": "a\tb"} {
		o, err := office.Parse("f.yaml", []byte(`
models: {m: {provider: ollama, name: tiny}}
stub: m
agents:
  - {name: Reed, rooms: [ops], script: [{call: {tool: Bash, result: "a\tb\nc"}, say: Done.}]}
`))
		if err != nil {
			t.Fatal(err)
		}
		store := new(journal.Memory)
		options, err := o.Build(office.Parts{Store: store, Keys: &events.Keys{Dir: t.TempDir()}, Model: func(m teams.Model) (models.Model, error) {
			return &models.Scripted{Name: m.Name, Answer: func(context.Context, *models.Request) (*models.Answer, error) {
				if answer == "" {
					return nil, &models.Error{Problem: models.ErrAuth}
				}
				return models.Text(answer), nil
			}}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := rooms.New(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		ran := make(chan error, 1)
		go func() { ran <- r.Run(ctx) }()
		if _, err := r.Say(t.Context(), "ops", rooms.Message{Content: "Go"}); err != nil {
			t.Fatal(err)
		}
		if err := r.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		e, err := r.Section(t.Context(), "ops", 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := *e.Body.(events.Tool).Stub; got != strings.ReplaceAll(want, "\t", " ") {
			t.Errorf("the model says %q: the stub is %q, want %q", answer, got, want)
		}
		cancel()
		<-ran
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// TestAgentCallsToolsOfAServerBeforeItAnswers has a model that reads and tries to write. A
// second process, whose log ends before the answer, repeats no call.
func TestAgentCallsToolsOfAServerBeforeItAnswers(t *testing.T) {
	t.Parallel()
	o, err := office.Parse("f.yaml", []byte(`
models: {m: {provider: ollama, name: tiny}}
servers: {files: {command: [files]}}
agents:
  - {name: Reed, rooms: [ops], model: m, tools: {"files/*": default}}
`))
	if err != nil {
		t.Fatal(err)
	}
	var made atomic.Int32
	tool := func(name string, reads bool) tools.Tool {
		spec := tools.Spec{Server: "files", Name: name, Input: []byte(`{"type":"object"}`), Hints: tools.Hints{ReadsOnly: reads}}
		return tools.Tool{Spec: spec, Call: func(context.Context, json.RawMessage) (tools.Result, error) {
			made.Add(1)
			return tools.Result{Text: "first line\nsecond line"}, nil
		}}
	}
	answer := func(_ context.Context, r *models.Request) (*models.Answer, error) {
		last := r.Messages[len(r.Messages)-1]
		if len(last.Results) == 0 {
			return &models.Answer{Finish: models.FinishCalls, Calls: []models.Call{
				{ID: "1", Name: "files__read", Args: []byte(`{"name":"a"}`)}, {ID: "2", Name: "files__write", Args: []byte(`{"name":"a"}`)},
			}}, nil
		}
		return models.Text(last.Results[0].Text + "; " + last.Results[1].Text), nil
	}
	live := func(store journal.Store, keys string, say bool) (said []string, stubs []string) {
		t.Helper()
		options, err := o.Build(office.Parts{
			Store: store, Keys: &events.Keys{Dir: keys}, Tools: []tools.Source{tool("read", true), tool("write", false)},
			Model: func(m teams.Model) (models.Model, error) { return &models.Scripted{Name: m.Name, Answer: answer}, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := rooms.New(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		ran := make(chan error, 1)
		go func() { ran <- r.Run(ctx) }()
		if say {
			if _, err := r.Say(t.Context(), "ops", rooms.Message{Content: "Go"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		cancel()
		<-ran
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
		for e, err := range rooms.Log(store, 0) {
			if err != nil {
				t.Fatal(err)
			}
			switch b := e.Body.(type) {
			case events.Dialogue:
				said = append(said, b.Content)
			case events.Tool:
				if b.Status.Over() {
					stubs = append(stubs, b.Status.String()+" "+*b.Stub)
				}
			}
		}
		return said, stubs
	}
	whole, keys := new(journal.Memory), t.TempDir()
	said, stubs := live(whole, keys, true)
	const refused = "files/write is refused: this tool needs a person's approval, and nobody is asked in a room: the roster has to allow it"
	if len(stubs) != 2 || stubs[0] != "done first line" || stubs[1] != "error "+refused || made.Load() != 1 {
		t.Errorf("%d calls, stubs %q", made.Load(), stubs)
	}
	if want := `{"result":"first line\nsecond line"}; {"result":"` + refused + `"}`; len(said) != 1 || said[0] != want {
		t.Errorf("it says %q, want %q", said, want)
	}
	part := new(journal.Memory)
	for record, err := range whole.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		if kind, _, _ := record.About(); kind == "room.dialogue" {
			break
		}
		if _, err := part.Append(record); err != nil {
			t.Fatal(err)
		}
	}
	if again, stubs := live(part, keys, false); len(again) != 1 || again[0] != said[0] || len(stubs) != 2 || made.Load() != 1 {
		t.Errorf("the second life says %q after %d calls, %q", again, made.Load(), stubs)
	}
}

func TestTurnThatTakesTooLongHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for text, want := range map[string]time.Duration{"": 5 * time.Minute, "timeout: 3s": 3 * time.Second} {
			store := new(journal.Memory)
			o, err := office.Parse("f.yaml", []byte(text+"\npause: 10h\nagents:\n  - {name: Reed, rooms: [ops], script: [{say: x, takes: 1h}]}\n"))
			if err != nil {
				t.Fatal(err)
			}
			options, err := o.Build(office.Parts{Store: store, Keys: &events.Keys{Dir: t.TempDir()}})
			if err != nil {
				t.Fatal(err)
			}
			r, err := rooms.New(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ran := make(chan error, 1)
			go func() { ran <- r.Run(ctx) }()
			if _, err := r.Say(ctx, "ops", rooms.Message{Content: "Go"}); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			time.Sleep(want + time.Second)
			cancel()
			<-ran
			if err := r.Close(context.Background()); err != nil {
				t.Error(err)
			}
			var failed time.Duration
			for e, err := range rooms.Log(store, 0) {
				if s, ok := e.Body.(events.System); err == nil && ok && s.What == events.Faulted {
					failed = e.Time.Sub(began)
				}
			}
			if failed != want {
				t.Errorf("%q: it failed after %v, want %v", text, failed, want)
			}
		}
	})
}
