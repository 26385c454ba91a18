package anthropic_test

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/anthropic"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	modelstest.Test(t, modelstest.Anthropic, func(base string) (models.Model, error) {
		return anthropic.New(anthropic.Options{Model: modelstest.Name, BaseURL: base, Key: modelstest.Key})
	})
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []anthropic.Options{{}, {Model: "m"}, {Key: "k"}, {Model: "m", Key: "k", BaseURL: "ftp://x"}} {
		if _, err := anthropic.New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestWhatTheProviderRefusesOfASchemaIsLeftOut(t *testing.T) {
	s := modelstest.NewServer(modelstest.Anthropic, func(int, *models.Request) modelstest.Reply { return modelstest.Reply{Text: "{}"} })
	defer s.Close()
	m, err := anthropic.New(anthropic.Options{Model: modelstest.Name, BaseURL: s.URL, Key: modelstest.Key})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	_, err = m.Ask(t.Context(), &models.Request{
		Messages: []models.Message{models.User("?")}, Most: 1,
		Schema: &models.Schema{Name: "x", JSON: []byte(`{"type":"object","properties":{"maximum":{"type":"number","maximum":1},"all":{"type":"array","maxItems":3,"items":{"type":"string","maxLength":2}}},"required":["maximum","all"],"additionalProperties":false}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := string(s.Requests()[0].Schema.JSON)
	if strings.Contains(got, "maxItems") || strings.Contains(got, "maxLength") || strings.Count(got, "maximum") != 2 {
		t.Errorf("sent %s", got)
	}
}

func TestWhatComesBeforeTheLastMessageIsMarkedToBeCached(t *testing.T) {
	for _, no := range []bool{false, true} {
		var body string
		m, err := anthropic.New(anthropic.Options{Model: "m", Key: "k", NoCache: no, Client: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			data := make([]byte, 1<<16)
			n, _ := r.Body.Read(data)
			body = string(data[:n])
			return nil, errors.New("closed")
		})}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("one"), models.User("two")}, Most: 1})
		before, after, marked := strings.Cut(body, "cache_control")
		if !errors.Is(err, models.ErrConnection) || marked == no || marked && (!strings.Contains(before, "one") && !strings.Contains(after, "one") || !strings.Contains(after, "two")) {
			t.Errorf("%v, sent %s", err, body)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func ExampleNew() {
	model, err := anthropic.New(anthropic.Options{Model: "claude-sonnet-4-5", Key: "from where you keep it"})
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(model.ID().String())
	// Output: anthropic:claude-sonnet-4-5
}
