package a2a

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

// provider is that of all models of this package.
const provider = "a2a"

// Options of [New]. Name and URL are required.
type Options struct {
	Name   string        // for records and prices
	URL    string        // of the agent: its card is below it
	Key    string        // sent as a bearer token; "": none
	Header http.Header   // sent with every call
	Client *http.Client  // nil: the model's own, without a proxy
	Every  time.Duration // between looks at a task that is not done; 0 means 1s
}

// A Model is an agent of A2A. Make one with [New].
type Model struct {
	id      models.ID
	base    *url.URL
	every   time.Duration
	client  *wire.Client
	secrets []string
	leaving sync.WaitGroup // cancelling tasks

	mu   sync.Mutex // protects the field below
	peer *peer      // nil: its card has not been read
}

var _ models.Model = (*Model)(nil)

// New returns a model. It makes no request.
func New(o Options) (*Model, error) {
	if o.Name == "" {
		return nil, errors.New("a2a: the agent has no name")
	}
	key, secrets, err := wire.Secrets(o.Key, o.Header)
	if err != nil {
		return nil, fmt.Errorf("a2a: %w", err)
	}
	at, more, err := wire.Base(strings.TrimRight(o.URL, "/"))
	if err != nil {
		return nil, fmt.Errorf("a2a: %w", err)
	}
	header := o.Header.Clone()
	if key != "" {
		if header == nil {
			header = http.Header{}
		}
		header.Set("Authorization", "Bearer "+key)
	}
	id, secrets := models.ID{Provider: provider, Name: o.Name}, append(secrets, more...)
	return &Model{
		id: id, base: at, every: cmp.Or(o.Every, time.Second),
		client: wire.NewClient(id, o.Client, header, secrets), secrets: secrets,
	}, nil
}

// ID implements [models.Model].
func (m *Model) ID() models.ID { return m.id }

// Close waits until tasks that were left are cancelled, which takes five seconds at most, and
// closes idle connections.
func (m *Model) Close() {
	m.leaving.Wait()
	m.client.Close()
}

// Ask implements [models.Model].
func (m *Model) Ask(ctx context.Context, r *models.Request) (*models.Answer, error) {
	if len(r.Tools) > 0 && !r.NoCalls {
		return nil, &models.Error{Model: m.id, Problem: models.ErrInvalid, Unbilled: true, Detail: "an agent of A2A calls no tools of others"}
	}
	p, err := m.meet(ctx)
	if err != nil {
		return nil, err
	}
	text := prompt(r)
	sum := sha256.Sum256([]byte(text)) // a message that is sent again has the same id
	var got reply
	if err = m.call(ctx, p, p.words.send, p.words.message(hex.EncodeToString(sum[:16]), text), &got); err != nil {
		m.forget(p)
		return nil, err
	}
	task := got.asTask()
	for task != nil && task.open() {
		if err := m.wait(ctx, p, task); err != nil {
			return nil, err
		}
	}
	a, err := m.answer(&got, task, r)
	if err == nil && r.Show != nil {
		r.Show(models.Piece{Text: a.Text})
	}
	return a, err
}

// wait looks at a task in a moment. If ctx ends meanwhile, the task is cancelled.
func (m *Model) wait(ctx context.Context, p *peer, t *task) error {
	next := time.NewTimer(m.every)
	defer next.Stop()
	id, err := map[string]any{"id": t.ID}, error(nil)
	select {
	case <-ctx.Done():
		err = fmt.Errorf("models: %s: %w", m.id, context.Cause(ctx))
	case <-next.C:
		*t = task{ID: t.ID}
		err = m.call(ctx, p, p.words.get, id, t)
	}
	if ctx.Err() != nil {
		m.leaving.Go(func() {
			bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_ = m.call(bye, p, p.words.cancel, id, new(task)) // it may have ended
		})
	}
	return err
}

// answer returns what an agent has said.
func (m *Model) answer(got *reply, t *task, r *models.Request) (*models.Answer, error) {
	says := parts{}
	if t == nil {
		says = got.said()
	} else {
		for _, a := range t.Artifacts {
			says = append(says, a.Parts...)
		}
		if len(says) == 0 {
			says = t.Status.Message.Parts
		}
		if state := t.state(); state != "completed" {
			return nil, m.ended(state, t.Status.Message.Parts.text())
		}
	}
	a := &models.Answer{Text: says.text(), Finish: models.FinishStop}
	if data := says.data(); data != "" && (r.Schema != nil || a.Text == "") {
		a.Text = data
	}
	if a.Text == "" {
		return nil, &models.Error{Model: m.id, Problem: models.ErrMalformed, Detail: "an answer without text or data"}
	}
	return a, a.Validate(m.id)
}

// ended returns the error for a task that ended without an answer.
func (m *Model) ended(state, why string) error {
	problem, final := models.ErrOverloaded, false
	switch state {
	case "rejected":
		problem = models.ErrFiltered
	case "auth-required":
		problem = models.ErrAuth
	case "input-required":
		problem = models.ErrInvalid
	case "failed", "canceled":
	default:
		problem, final = models.ErrMalformed, true
	}
	return &models.Error{Model: m.id, Problem: problem, Final: final, Detail: models.Detail(fmt.Sprintf("the task is %.40s: %s", state, why), m.secrets...)}
}

// prompt returns a request as one text.
func prompt(r *models.Request) string {
	var all []string
	if r.System != "" {
		all = append(all, r.System)
	}
	for _, each := range r.WithoutFiles().Messages {
		text := each.Text
		if each.Role == models.RoleAssistant {
			text = "You said before:\n" + text
		}
		for _, result := range each.Results {
			text += "\nResult of a tool:\n" + result.Text
		}
		all = append(all, text)
	}
	if r.Schema != nil {
		all = append(all, "Answer with JSON of this schema, and nothing else:\n"+string(r.Schema.JSON))
	}
	return strings.Join(all, "\n\n")
}

// forget makes the next call read the card again.
func (m *Model) forget(p *peer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.peer == p {
		m.peer = nil
	}
}

// unspeakable returns the error for an agent that this package cannot talk to.
func (m *Model) unspeakable(format string, args ...any) error {
	return &models.Error{Model: m.id, Problem: models.ErrInvalid, Unbilled: true, Detail: models.Detail(fmt.Sprintf(format, args...), m.secrets...)}
}

// decode reads JSON as one value.
func decode(text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("a2a: %w", err)
	}
	return nil
}
