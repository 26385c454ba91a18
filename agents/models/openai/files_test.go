package openai_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
)

// TestFilesAreShownToModelsThatTakeThem has servers of three protocols, and what some say that take none.
func TestFilesAreShownToModelsThatTakeThem(t *testing.T) {
	t.Parallel()
	const line = "You cannot read the file \\\"plot.png\\\" (image/png, 3 bytes)"
	ask := &models.Request{Most: 50, Messages: []models.Message{{Role: models.RoleUser, Text: "What is it?", Files: []models.File{
		{Name: "plot.png", Type: "image/png", Data: []byte("abc")}, {Name: "a.pdf", Type: "application/pdf", Data: []byte("%PDF-")},
	}}, models.User("Well?")}}
	const chat = `{"choices":[{"message":{"content":"a plot"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`
	for _, c := range []struct {
		api, answer, picture, document string
	}{
		{"", chat, `"image_url":{"url":"data:image/png;base64,YWJj"}`, `"file":{"file_data":"data:application/pdf;base64,JVBERi0=","filename":"a.pdf"}`},
		{
			"responses", `{"object":"response","status":"completed","output":[{"type":"message","content":"a plot"}],"usage":{"input_tokens":9,"output_tokens":2}}`,
			`"image_url":"data:image/png;base64,YWJj","type":"input_image"`, `"file_data":"data:application/pdf;base64,JVBERi0=","filename":"a.pdf","type":"input_file"`,
		},
		{
			"messages", `{"type":"message","model":"m","content":[{"type":"text","text":"a plot"}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":2}}`,
			`{"source":{"data":"YWJj","media_type":"image/png","type":"base64"},"type":"image"}`, `{"source":{"data":"JVBERi0=","media_type":"application/pdf","type":"base64"},"type":"document"}`,
		},
	} {
		for _, refusal := range []struct {
			status int
			words  string
		}{
			{},
			{400, "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text`"}, // DeepSeek
			{404, "No endpoints found that support image input"},                                                                         // OpenRouter
			{500, "image input is not supported - hint: you may need the mmproj"},                                                        // llama.cpp
			{400, "'messages.1' : for 'role:user' the value of content must be a string"},                                                // Groq
			{400, "This model does not support PDF documents"},
		} {
			var sent []string
			m := served{model: "m", api: c.api}.asks(t, func(r *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(r.Body)
				sent = append(sent, string(body))
				status, answer := 200, c.answer
				if refusal.status != 0 && strings.Contains(string(body), "YWJj") {
					status, answer = refusal.status, `{"error":{"message":"`+refusal.words+`"}}`
				}
				return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte(answer))), Request: r}, err
			})
			a, err := m.Ask(t.Context(), ask)
			if err != nil || a.Text != "a plot" {
				t.Errorf("%s, %q: got %+v, %v", c.api, refusal.words, a, err)
				continue
			}
			last := sent[len(sent)-1]
			if !strings.Contains(sent[0], c.picture) || !strings.Contains(sent[0], c.document) || strings.Contains(sent[0], "cannot read") {
				t.Errorf("%s: sent %s", c.api, sent[0])
			}
			if blind := refusal.status != 0; strings.Contains(last, line) != blind || len(a.Notes) == 0 == blind || !strings.Contains(last, "What is it?") {
				t.Errorf("%s, %q: sent %s with notes %q", c.api, refusal.words, last, a.Notes)
			}
		}
	}
	if ask.Messages[0].Text != "What is it?" || len(ask.Messages[0].Files) != 2 {
		t.Errorf("the request was changed: %+v", ask.Messages[0])
	}
}
