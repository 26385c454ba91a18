package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/examples/review/inspect"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// natsEnv has the URL of a NATS server; bash .ci/nats starts one.
const natsEnv = "SWARMBUS_NATS"

// decisionHash is that of the decision of a review, and of what was said for it.
func decisionHash(t *testing.T, r *solves.Result) (hash, text string) {
	t.Helper()
	decision, err := runlog.TextOf(r.Decision)
	if err != nil || len(r.Log) < 10 {
		t.Fatal(r.Stop, r.Detail, err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, r.Stop, decision, r.Answer)
	for _, s := range r.Log {
		h := s.Head()
		said, _ := words(s)
		fmt.Fprintln(&b, s.Kind(), h.Source, h.Round, h.Confidence, said)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:]), b.String()
}

// A review over NATS says and decides what one in one process does.
func TestReviewOverNATSDecidesAsInOneProcess(t *testing.T) {
	url := os.Getenv(natsEnv)
	if url == "" {
		t.Skip(natsEnv + " names no server")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for _, dir := range []string{"clean/lockedmap", "planted/countrace", "planted/sqlconcat", "planted/keptlock"} {
		p, err := inspect.Load(ctx, filepath.Join("testdata", dir), false)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := solve(ctx, p, 1, new(journal.Memory), blind, func(solves.Event) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		got, over := decisionHash(t, overNATS(ctx, t, url, p))
		if want, text := decisionHash(t, alone); got != want {
			t.Errorf("%s: decision hash %s over NATS, %s in one process\n%s\n%s", dir, got, want, over, text)
		}
		t.Logf("%s: %s %s, decision hash %.16s", dir, alone.Stop, alone.Decision.Leaders, got)
	}
}

// overNATS drives a review on a log of its own, which another process follows.
func overNATS(ctx context.Context, t *testing.T, url string, p *inspect.Package) (result *solves.Result) {
	t.Helper()
	codec, err := machines.Codec()
	if err != nil {
		t.Fatal(err)
	}
	past := machines.NewRecords()
	join := func(name string, digest func(signals.Any) []byte) *natsbus.Log {
		l, err := natsbus.Join(ctx, natsbus.Options{
			URL: url, Stream: "review-" + p.Name, Process: name, Codec: codec, Reserved: machines.Reserved(), Digest: digest, Compare: 50 * time.Millisecond,
			Tell: natsbus.Tell{Alarm: func(d natsbus.Difference) { t.Error(d) }},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.Close)
		return l
	}
	other, driver := join("other", machines.Digest()), join("driver", past.Digest())
	for e, err := range machines.Drive(ctx, driver, past, swarm.Options{Agents: team(p, tracks()), Name: "review", Seed: 1}, task(p)) {
		if err != nil {
			t.Fatal(err)
		}
		if stopped, ok := e.(solves.Stopped); ok {
			result = stopped.Result
		}
	}
	last := driver.Stats().Last
	timetest.Until(t, fmt.Sprint("the other process compares ", last), func() bool { return other.Stats().Compared >= last-other.Stats().First })
	return result
}
