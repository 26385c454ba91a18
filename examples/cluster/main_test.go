package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if os.Getenv(agentEnv)+os.Getenv(serverEnv) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestAgentsDecideWhileAServerIsKilled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out strings.Builder
	if err := run(ctx, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"is killed", "all 4 processes agree", "operator sees the decision: exponential backoff with jitter"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
