package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/examples/review/inspect"
	"github.com/swarmbus/swarmbus/internal/documents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// TestMain is the program itself where a test starts it as a process.
func TestMain(m *testing.M) {
	if os.Getenv("REVIEW_AS_PROGRAM") != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

func fixture(name string) string { return filepath.Join("inspect", "testdata", name) }

func call(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = run(t.Context(), args, &out, &err)
	return status, out.String(), err.String()
}

func load(t *testing.T, dir string) *inspect.Package {
	t.Helper()
	p, err := inspect.Load(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func decide(t *testing.T, dir string) *solves.Result {
	t.Helper()
	r, err := solve(t.Context(), load(t, dir), 1, nil, blind, func(solves.Event) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestContestedReviewHasEveryKindOfSpeech(t *testing.T) {
	r := decide(t, fixture("messy"))
	count := map[signals.Kind]int{}
	for _, s := range r.Log {
		count[s.Kind()]++
	}
	for _, k := range []signals.Kind{signals.KindDiscovery, signals.KindChallenge, signals.KindProposal, signals.KindConflict, signals.KindVote} {
		if count[k] == 0 {
			t.Errorf("no %s in the log: %v", k, count)
		}
	}
	if r.Decision.Choice != requestChanges || count[signals.KindProposal] != 2 || len(r.Conflicts) != 1 || len(r.Decision.Dissent()) == 0 {
		t.Errorf("got %q with %d proposals, %d conflicts, dissent %v", r.Decision.Choice, count[signals.KindProposal], len(r.Conflicts), r.Decision.Dissent())
	}
}

func TestEveryVoteGivesAReasonOfItsOwn(t *testing.T) {
	for _, s := range decide(t, fixture("messy")).Log {
		v, ok := signals.As[signals.Vote](s)
		if ok && v.Payload.Reasoning == "" {
			t.Errorf("%s votes without a reason", v.Source)
		}
		if ok && v.Payload.Stance == signals.Agree && !slices.Contains([]string{"compile", "errors", "hazards", "tests"}, v.Source) {
			t.Errorf("%s votes on what others saw: %s", v.Source, v.Payload.Reasoning)
		}
	}
}

// TestWhoFoundNothingProposesNoChanges reviews packages with one defect.
func TestWhoFoundNothingProposesNoChanges(t *testing.T) {
	for dir, who := range map[string]string{"swallowed": "errors", "copiedlock": "concurrency", "removeall": "hazards"} {
		for _, p := range decide(t, filepath.Join("testdata", "planted", dir)).Proposals {
			if p.Is(requestChanges) && p.Proposal.Source != who {
				t.Errorf("%s: %s proposes changes: %s", dir, p.Proposal.Source, p.Proposal.Payload.Reasoning)
			}
		}
	}
}

func TestBrokenPackageIsLeftToTheCompilerAgent(t *testing.T) {
	r := decide(t, fixture("broken"))
	if r.Decision.Choice != requestChanges || !strings.Contains(r.Proposals[0].Proposal.Payload.Reasoning, "broken.go:5") {
		t.Errorf("got %q: %s", r.Decision.Choice, r.Proposals[0].Proposal.Payload.Reasoning)
	}
	for _, s := range r.Log {
		if d, ok := signals.As[signals.Discovery](s); ok && d.Source != "compile" && !strings.HasPrefix(d.Payload.Finding, "could not look: ") {
			t.Errorf("%s says %q", d.Source, d.Payload.Finding)
		}
	}
}

func TestUnanalyzedFilesLowerCertainty(t *testing.T) {
	p := load(t, fixture("clean"))
	confidence := func() float64 {
		r, err := solve(t.Context(), p, 1, nil, blind, func(solves.Event) error { return nil })
		if err != nil || r.Decision.Choice != approve {
			t.Fatal(r, err)
		}
		return r.Decision.Confidence
	}
	all := confidence()
	for _, i := range inspect.Inspectors()[:4] {
		p.Gaps = append(p.Gaps, inspect.Gap{Inspector: i.Name, Share: 0, Reason: "a test says so"})
	}
	if some := confidence(); some >= all {
		t.Errorf("confidence %v with four who could not look, %v with all", some, all)
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

func TestDocumentShowsAReview(t *testing.T) {
	const command = "go run ./examples/review "
	for _, b := range documents.Blocks(t, "../..", command) {
		args := strings.Fields(strings.ReplaceAll(strings.TrimPrefix(b.Of, command), "examples/review/", ""))
		_, out, _ := call(t, args...)
		if missing := documents.Missing(b.Text, out); missing != "" {
			t.Errorf("%s: the review does not print, where the document has it:\n%s", b.File, missing)
		}
	}
}

func TestLogIsValidSignals(t *testing.T) {
	_, out, _ := call(t, "-log", fixture("messy"))
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
	for _, args := range [][]string{{"a", "b"}, {"-seed", "0"}, {"-width", "3"}, {"-nonsense"}, {"-update"}, {"-with", "lint"}} {
		if status, _, errs := call(t, args...); status != statusUsage || errs == "" {
			t.Errorf("%v: got status %d, %q", args, status, errs)
		}
	}
	if status, _, errs := call(t, "-h"); status != 0 || !strings.HasPrefix(errs, "usage: ") {
		t.Errorf("-h: got status %d, %q", status, errs)
	}
}

// TestFirstCommandStaysLight names what would take the first command, which
// builds everything, past its minute.
func TestFirstCommandStaysLight(t *testing.T) {
	deps, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, heavy := range []string{"go.opentelemetry.io", "google.golang.org", "honnef.co", "github.com/securego", "gonum.org", "net/http"} {
		if slices.ContainsFunc(strings.Fields(string(deps)), func(p string) bool { return p == heavy || strings.HasPrefix(p, heavy+"/") }) {
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

func TestCancelledReviewSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if status := run(ctx, []string{fixture("clean")}, &out, &errs); status != statusInterrupted || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("got status %d: %s", status, errs.String())
	}
}

// TestInterruptEndsAgentsThatIgnoreTheirContext interrupts a review that waits for a go
// command which ignores interrupts and goes on until the test has ended.
func TestInterruptEndsAgentsThatIgnoreTheirContext(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	if err := exec.CommandContext(t.Context(), "mkfifo", started).Run(); err != nil {
		t.Skip(err) // no such thing on this platform
	}
	script := "#!/bin/sh\ntrap '' INT\nexec 3<>" + started + " >/dev/null 2>&1\necho >&3\nwhile [ -e " + started + " ]; do sleep 1; done\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], fixture("clean"))
	cmd.Env = append(os.Environ(), "REVIEW_AS_PROGRAM=1", "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.Open(started)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if _, err := pipe.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skip(err) // no such signal on this platform
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != statusInterrupted {
		t.Fatalf("got %v, want status %d", err, statusInterrupted)
	}
}

func TestAgentsBelieveOnlyWhatTheCodeShows(t *testing.T) {
	p := load(t, fixture("clean"))
	lie := signals.New(
		signals.Header{ID: signals.MustID("lie"), Source: "vet", Seq: 2},
		signals.Discovery{Finding: "panic: 40 calls of panic", Evidence: "everywhere", Relevance: 1},
	)
	worse := signals.New(
		signals.Header{ID: signals.MustID("worse"), ReplyTo: lie.ID, Source: "errors", Seq: 3},
		signals.Discovery{Finding: "and it gets worse", Relevance: 1},
	)
	proposal := agents.Propose(approve, "Approve", 1, "clean").(*signals.Signal[signals.Proposal])
	for _, a := range team(p, tracks()) {
		said, err := a.Take(t.Context(), &agents.Turn{
			Agent: a.ID, Round: 3, New: []signals.Any{lie, worse}, Proposals: []agents.Standing{{Proposal: proposal}},
		})
		if err != nil || len(said) != 1 {
			t.Fatal(said, err)
		}
		if v, ok := signals.As[signals.Vote](said[0]); !ok || v.Payload.Stance == signals.Disagree || v.Payload.ProposalID != approve {
			t.Errorf("%s: got %v after a lie", a.ID, said[0])
		}
	}
}
