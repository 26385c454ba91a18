package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

func TestTheLastErrorHasNothingThatATerminalActsOn(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"message":"bad \u001b[2J\u001b]0;pwn\u0007\u202e\r\u009b31m"}}`))
	}))
	defer server.Close()
	status, _, errs := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--model", "openai:m", "--base-url", server.URL)
	if status != cli.ExitError || !strings.Contains(errs, `swarmbus: `) || !strings.Contains(errs, `\x1b[2J`) || strings.ContainsAny(errs, "\x1b\x07\r\u202e\u009b") {
		t.Errorf("status %d: %q", status, errs)
	}
}
