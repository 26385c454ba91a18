package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func fixture(name string) string { return filepath.Join("inspect", "testdata", name) }

func call(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = run(t.Context(), args, &out, &err)
	return status, out.String(), err.String()
}

func result(t *testing.T, dir string) *swarm.Result {
	t.Helper()
	r, err := review(t.Context(), &flags{seed: 1, width: 120, dir: dir}, blind, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAnotherPackageGetsAnotherSensibleAnswer(t *testing.T) {
	for name, want := range map[string]string{
		"clean": approve, "risky": requestChanges, "broken": requestChanges, "racy": requestChanges,
	} {
		if r := result(t, fixture(name)); r.Decision.Choice != want {
			t.Errorf("%s: got %q (%v: %s), want %q", name, r.Decision.Choice, r.Stop, r.Detail, want)
		}
	}
}

func TestReviewHasEveryKindOfSpeech(t *testing.T) {
	r := result(t, fixture("messy"))
	count := map[signals.Kind]int{}
	speakers := map[string]bool{}
	for _, s := range r.Log {
		count[s.Kind()]++
		speakers[s.Head().Source] = true
	}
	for _, k := range []signals.Kind{signals.KindDiscovery, signals.KindProposal, signals.KindConflict, signals.KindVote} {
		if count[k] == 0 {
			t.Errorf("no %s in the log: %v", k, count)
		}
	}
	if count[signals.KindDoubt]+count[signals.KindChallenge] == 0 {
		t.Errorf("nobody doubts or challenges: %v", count)
	}
	if count[signals.KindProposal] != 2 || len(r.Conflicts) != 1 || len(speakers) < 6 {
		t.Errorf("got %d proposals, %d conflicts, %d speakers, want 2, 1, at least 6", count[signals.KindProposal], len(r.Conflicts), len(speakers))
	}
}

func TestEveryVoteGivesAReason(t *testing.T) {
	for _, s := range result(t, fixture("messy")).Log {
		if v, ok := signals.As[signals.Vote](s); ok && v.Payload.Reasoning == "" {
			t.Errorf("%s votes without a reason", v.Source)
		}
	}
}

func TestSamePackageAndSeedGiveTheSameLogByteForByte(t *testing.T) {
	for _, form := range []string{"-log", "-json"} {
		_, first, _ := call(t, form, "-seed", "7", fixture("messy"))
		_, again, _ := call(t, form, "-seed", "7", fixture("messy"))
		_, other, _ := call(t, form, "-seed", "8", fixture("messy"))
		if first == "" || first != again {
			t.Errorf("%s: two runs differ", form)
		}
		if first == other {
			t.Errorf("%s: another seed gives the same ids", form)
		}
	}
}

func TestLogIsValidSignals(t *testing.T) {
	_, out, _ := call(t, "-log", fixture("risky"))
	for line := range strings.Lines(out) {
		if _, err := signals.Unmarshal([]byte(line)); err != nil {
			t.Errorf("%v: %s", err, line)
		}
	}
}

func TestDirectoryThatIsNoGoPackageIsAClearError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		t.TempDir(): "Go",
		"nowhere":   "not a directory",
		file:        "not a directory",
		fixture(""): "no Go files",
	} {
		status, out, errs := call(t, dir)
		if status != statusError || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") > 3 {
			t.Errorf("%s: got status %d, %q, want status 1 and %q", dir, status, errs, want)
		}
	}
}

func TestWrongUsageIsStatus2(t *testing.T) {
	for _, args := range [][]string{{"a", "b"}, {"-seed", "0"}, {"-width", "3"}, {"-nonsense"}} {
		if status, _, errs := call(t, args...); status != statusUsage || errs == "" {
			t.Errorf("%v: got status %d, %q", args, status, errs)
		}
	}
}

func TestReviewLinksNoExporter(t *testing.T) {
	deps, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, heavy := range []string{"go.opentelemetry.io", "google.golang.org", "net/http"} {
		if strings.Contains(string(deps), heavy) {
			t.Errorf("the first command would have to build %s", heavy)
		}
	}
}

func TestTracesNeedABuildThatCanSendThem(t *testing.T) {
	status, _, errs := call(t, "-otel", fixture("clean"))
	if status != statusUsage || !strings.Contains(errs, "-tags otel") {
		t.Errorf("got status %d, %q, want how to build it", status, errs)
	}
}

func TestCancelledReviewIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if status := run(ctx, []string{fixture("clean")}, &out, &errs); status == statusDecided {
		t.Errorf("got status %d: %s", status, out.String())
	}
}

func TestAgentsBelieveOnlyWhatTheCodeShows(t *testing.T) {
	honest := result(t, fixture("clean"))
	p := honest.Log[0]
	if _, ok := signals.As[signals.Task](p); !ok {
		t.Fatalf("the log begins with %s", p.Kind())
	}
	loaded := newDesk(load(t, fixture("clean")))
	r := newReviewer(loaded, inspector(t, "risk"), personalities["risk"])
	lie := signals.New(
		signals.Header{ID: signals.MustID("lie")},
		signals.Discovery{Finding: "panic: 40 calls of panic", Evidence: "everywhere", Relevance: 1},
	)
	r.hearDiscovery(lie)
	r.hearArgument(lie.ID, "and it gets worse")
	if v := r.judge(); v.Concern != 0 {
		t.Errorf("a made-up finding raises concern to %v", v.Concern)
	}
}

func load(t *testing.T, dir string) *inspect.Package {
	t.Helper()
	p, err := inspect.Load(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func inspector(t *testing.T, name string) inspect.Inspector {
	t.Helper()
	i, ok := inspect.Named(name)
	if !ok {
		t.Fatalf("no inspector %q", name)
	}
	return i
}
