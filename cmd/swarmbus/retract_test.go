package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// saidBy returns the number of the first signal of a kind by somebody.
func saidBy(t *testing.T, r *solves.Result, source string, kind signals.Kind) string {
	t.Helper()
	for _, s := range r.Log {
		if h := s.Head(); h.Source == source && s.Kind() == kind {
			return fmt.Sprint(h.Seq)
		}
	}
	t.Fatalf("%s has said no %s", source, kind)
	return ""
}

// effect returns what text says that falls without a signal.
func effect(text, seq string) string {
	_, after, _ := strings.Cut(text, "Without ["+seq+"]: ")
	var lines []string
	for i, line := range strings.Split(after, "\n") {
		if i > 0 && !strings.HasPrefix(line, "  falls") && !strings.HasPrefix(line, "  weakened") {
			break
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestRetractingAVoteFellsTheClaimsThatShowNamed(t *testing.T) {
	path, r := grounded(t)
	vote := saidBy(t, r, "ann", signals.KindVote)
	foreseen, _, _ := called(t, "show", path, "--without", vote)
	out, errs, status := called(t, "retract", path, vote, "a mistake", "--by", "ceo")
	if status != cli.ExitNoConsensus {
		t.Fatalf("status %d: %s", status, errs)
	}
	if want, got := effect(foreseen, vote), effect(out, vote); got != want || !strings.HasPrefix(got, "1 claim falls") {
		t.Errorf("got %s, want %s", got, want)
	}
	out, _, _ = called(t, "retract", path, "4", "the wrong table", "--by", "ceo")
	if got := effect(out, "4"); strings.Contains(got, "["+vote+"]") || !strings.Contains(got, "falls     [4]") {
		t.Errorf("what fell before falls again: %s", got)
	}
}

func TestShowNamesRetractionsAfterTheDecision(t *testing.T) {
	path, r := grounded(t)
	vote := saidBy(t, r, "ann", signals.KindVote)
	if _, errs, status := called(t, "retract", path, vote, "a mistake", "--by", "ceo"); status != cli.ExitNoConsensus {
		t.Fatalf("status %d: %s", status, errs)
	}
	out, _, _ := called(t, "show", path, "--width", "200")
	for _, want := range []string{"system takes back [" + vote + "] for ceo: a mistake\n", "\nRetracted [", "still count what was taken back"} {
		if !strings.Contains(out, want) {
			t.Errorf("missing %q in\n%s", want, out)
		}
	}
}

func TestResumeSaysOfARevisedSolveWhatShowSays(t *testing.T) {
	server := modelstest.NewServer(modelstest.OpenAI, decides)
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	path := filepath.Join(t.TempDir(), "run.journal")
	if _, errs, status := called(t, "solve", "Which policy?", "--mode", "deliberate", "--model", "openai:"+modelstest.Name, "--base-url", server.URL, "--journal", path); status != cli.ExitDecided {
		t.Fatalf("status %d: %s", status, errs)
	}
	var seq string
	show, _, _ := called(t, "show", path)
	for line := range strings.Lines(show) {
		if f := strings.Fields(line); len(f) > 2 && f[2] == "vote" {
			seq = f[0]
		}
	}
	if _, errs, status := called(t, "retract", path, seq, "a mistake"); status == cli.ExitUsage {
		t.Fatalf("retract %q: %s", seq, errs)
	}
	show, _, _ = called(t, "show", path)
	at := strings.Index(show, "\nRetracted [")
	again, errs, _ := called(t, "solve", "--resume", path)
	if at < 0 || !strings.HasSuffix(again, show[at:]) || strings.Count(again, "Retracted") != 1 {
		t.Errorf("show:\n%s\nresume:\n%s%s", show, again, errs)
	}
}

// What show says in words of a retraction and of the answer, show --json has as members.
func TestShowHasTheRevisionAndTheAnswerAsJSON(t *testing.T) {
	path, r := grounded(t)
	stopped := func() (of struct {
		Event    string
		Revision *struct {
			Retracted []uint64
			Decision  struct{ Outcome string }
			Changed   bool
		}
		Synthesis struct{ Text string }
	},
	) {
		out, errs, status := called(t, "show", path, "--json")
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &of); err != nil || status != cli.ExitDecided || of.Event != "stopped" {
			t.Fatalf("status %d, %v: %s%s", status, err, out, errs)
		}
		return of
	}
	text, _, _ := called(t, "show", path, "--answer")
	if got := stopped(); got.Revision != nil || !strings.Contains(got.Synthesis.Text, "[") || !strings.Contains(text, got.Synthesis.Text) {
		t.Errorf("before: %+v, show --answer has\n%s", got, text)
	}
	for _, voter := range []string{"ann", "bob", "cem"} {
		for _, s := range r.Log {
			if s.Head().Source == voter && s.Kind() == signals.KindVote {
				called(t, "retract", path, fmt.Sprint(s.Head().Seq), "a mistake", "--by", "ceo")
			}
		}
	}
	text, _, _ = called(t, "show", path)
	got := stopped()
	if got.Revision == nil || len(got.Revision.Retracted) == 0 || got.Revision.Changed != strings.Contains(text, "the decision falls: ") || !strings.Contains(text, "the decision falls: confidence-weighted: open: ") || got.Revision.Decision.Outcome != "pending" {
		t.Errorf("after: %+v, show has\n%s", got.Revision, text)
	}
	if _, errs, status := called(t, "show", path, "--json", "--answer"); status != cli.ExitUsage || !strings.Contains(errs, "json") {
		t.Errorf("status %d: %s", status, errs)
	}
}

func TestASignalIsTakenBackOnceAndByNoAgent(t *testing.T) {
	path, r := grounded(t)
	vote := saidBy(t, r, "ann", signals.KindVote)
	for _, step := range []struct {
		by, want string
		status   int
	}{
		{"bob", "by", cli.ExitUsage},
		{" Finder", "by", cli.ExitUsage},
		{"ceo", "", cli.ExitNoConsensus},
		{"ada", "already taken back by ceo, in signal", cli.ExitUsage},
	} {
		if _, errs, status := called(t, "retract", path, vote, "a mistake", "--by", step.by); status != step.status || !strings.Contains(errs, step.want) {
			t.Errorf("%s: status %d: %s", step.by, status, errs)
		}
	}
}

// The number of a signal is that of the run: it says which of several solves is meant.
func TestWaitingSolveContinuesWithoutRetractedSignals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program.journal")
	program(t, path, 2)
	file, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := solves.List(file)
	if cerr := file.Close(); cerr != nil {
		t.Fatal(cerr)
	}
	if err != nil || len(all) != 2 {
		t.Fatal(len(all), err)
	}
	for _, r := range all {
		seq := saidBy(t, r, "planner", signals.KindProposal)
		out, errs, status := called(t, "retract", path, seq, "a mistake")
		if status != cli.ExitDecided || !strings.Contains(out, "The solve goes on without it.") || strings.Contains(out, "decision stays") {
			t.Errorf("%s: status %d: %s%s", r.Thread, status, out, errs)
		}
	}
	if _, errs, status := called(t, "retract", path, "9999", "a mistake"); status != cli.ExitUsage || !strings.Contains(errs, "no solve of the run has a signal 9999") {
		t.Errorf("status %d: %s", status, errs)
	}
}
