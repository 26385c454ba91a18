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

func TestCrowdInFourProcessesDecidesAlike(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out strings.Builder
	if err := runCrowd(ctx, &out, 60, 1); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for word, want := range map[string]int{"drove it in": 1, "found it decided": processes - 1, "consensus": processes} {
		if got := strings.Count(out.String(), word); got != want {
			t.Errorf("%d times %q, want %d, in\n%s", got, word, want, out.String())
		}
	}
}
