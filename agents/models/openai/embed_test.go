package openai_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/openai"
)

// embedding is a model whose server answers every request for vectors so, and refuses
// every other.
func embedding(t *testing.T, status int, body string) *openai.Model {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/embeddings" ||
			asked.Model != "m" || len(asked.Input) != 2 || r.Header.Get("Authorization") != "Bearer key" {
			t.Errorf("%s %s asks for %+v, %v", r.Method, r.URL.Path, asked, err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	m := opened(t, openai.Options{Model: "m", BaseURL: s.URL + "/v1", Key: "key"})
	return m
}

func TestVectorsComeInTheOrderOfTheTexts(t *testing.T) {
	m := embedding(t, 200, `{"object":"list","data":[{"object":"embedding","index":1,"embedding":[0,1]},{"object":"embedding","index":0,"embedding":[1,0.5]}],"model":"m","usage":{"prompt_tokens":2,"total_tokens":2}}`)
	got, err := m.Embed(t.Context(), "a", "b")
	if diff := cmp.Diff(&models.Vectors{All: [][]float32{{1, 0.5}, {0, 1}}, Usage: models.Usage{Input: 2}}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

func TestUsageOfVectorsThatMakesNoSenseIsNone(t *testing.T) {
	for _, usage := range []string{`{}`, `{"prompt_tokens":-2}`, `{"prompt_tokens":5000000000}`} {
		m := embedding(t, 200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}],"usage":`+usage+`}`)
		if got, err := m.Embed(t.Context(), "a", "b"); err != nil || got.Usage != (models.Usage{}) {
			t.Errorf("%s: got %+v, %v", usage, got, err)
		}
	}
}

func TestVectorsThatAreMissingOddOrRefusedAreErrors(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   *models.Problem
	}{
		"one is missing":  {200, `{"data":[{"index":0,"embedding":[1]}]}`, models.ErrMalformed},
		"one comes twice": {200, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`, models.ErrMalformed},
		"one too many":    {200, `{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]},{"index":-1,"embedding":[1]}]}`, models.ErrMalformed},
		"one is longer":   {200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`, models.ErrMalformed},
		"one is empty":    {200, `{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`, models.ErrMalformed},
		"no numbers":      {200, `{"data":[{"index":0,"embedding":["x"]}]}`, models.ErrMalformed},
		"no JSON":         {200, `<html>`, models.ErrMalformed},
		"half of it":      {200, `{"data":[{"index":0,`, models.ErrCutOff},
		"no such model":   {404, `{"error":{"message":"model m not found","type":"not_found_error"}}`, models.ErrNotFound},
		"too many":        {429, `{"error":{"message":"slow down"}}`, models.ErrRateLimited},
		"broken":          {500, `oops`, models.ErrOverloaded},
	} {
		got, err := embedding(t, c.status, c.body).Embed(t.Context(), "a", "b")
		if !errors.Is(err, c.want) || got != nil {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, c.want)
		}
	}
}
