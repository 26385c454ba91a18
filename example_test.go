package swarmbus_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/swarmbus/swarmbus"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
)

func ExampleAsk() {
	defer local(`"at most three tries"`)() // an Ollama, in place of one of yours, or of the key of a provider

	result, err := swarmbus.Ask(context.Background(), "Which retry policy?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Stop, result.Answer)
	// Output: consensus at most three tries
}

func ExampleAskAs() {
	defer local(`{"severity":2,"owner":"payments"}`)()

	type incident struct {
		Severity int    `json:"severity" jsonschema:"from 1 to 5"`
		Owner    string `json:"owner"`
	}
	result, err := swarmbus.AskAs[incident](context.Background(), "How bad is it, and whose is it?")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Value.Severity, result.Value.Owner)
	for _, field := range result.Fields() {
		fmt.Println(field.Path, field)
	}
	// Output:
	// 2 payments
	// owner 3 of 3
	// severity 3 of 3
}

// local has an Ollama in the environment, and no key. Its models propose a content.
func local(content string) (end func()) {
	answers := modelstest.Handler(modelstest.OpenAI, func(int, *models.Request) modelstest.Reply {
		return modelstest.Reply{
			Text:  `{"say":[{"type":"proposal","content":` + content + `,"reasons":"r","confidence":0.8},{"type":"vote","proposal":"new","stance":"agree","reasons":"r","confidence":0.8}]}`,
			Usage: models.Usage{Input: 500, Output: 40},
		}
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			_, _ = fmt.Fprintf(w, `{"data":[{"id":%q}]}`, modelstest.Name)
			return
		}
		r.URL.Path = strings.TrimPrefix(r.URL.Path, "/v1")
		r.Header.Set("Authorization", "Bearer "+modelstest.Key)
		answers.ServeHTTP(w, r)
	}))
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasSuffix(name, "_KEY") || name == "HF_TOKEN" {
			_ = os.Unsetenv(name)
		}
	}
	_ = os.Setenv("OLLAMA_HOST", server.URL)
	return server.Close
}
