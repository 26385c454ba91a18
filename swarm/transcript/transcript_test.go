package transcript_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

var update = flag.Bool("update", false, "rewrite testdata")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// epoch is when the clocks of these tests begin.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

type seq = iter.Seq2[signals.Any, error]

// hostile is text that would act on a terminal: colour, cursor, title, bell,
// right-to-left override, carriage return.
const hostile = "fine\x1b[31m\x1b[2J\x1b]0;title\x07\u202edne\r\nover"

// events plays a small solve with a bit of everything.
func events(t *testing.T) []solves.Event {
	t.Helper()
	on := func(id string, listens signals.Kind, say func(heard signals.Any) seq) *agents.Agent {
		return &agents.Agent{
			ID: id, Role: "the " + id, Listens: []signals.Kind{listens},
			Personality: agents.Personality{Curiosity: 0.9, Caution: 0.5, Conformity: 0.1, Verbosity: 1},
			Reactor:     agents.Each(func(_ context.Context, s signals.Any) seq { return say(s) }),
		}
	}
	votes := func(stance signals.Stance) func(signals.Any) seq {
		return func(s signals.Any) seq {
			id := s.Body().(signals.Proposal).ProposalID
			said := stance
			if id == "wait" {
				said = signals.Disagree
			}
			return agents.Emit(signals.New(signals.Header{Confidence: 0.9}, signals.Vote{ProposalID: id, Stance: said, Weight: 0.9, Reasoning: "seen it work"}))
		}
	}
	team := []*agents.Agent{
		on("finder", signals.KindTask, func(signals.Any) seq {
			return agents.Emit(
				signals.New(signals.Header{Confidence: 0.7}, signals.Discovery{Finding: hostile, Evidence: strings.Repeat("very long ", 30), Relevance: 1}),
				signals.New(signals.Header{}, signals.Discovery{Finding: "x", Relevance: 2}),
			)
		}),
		on("maker", signals.KindTask, func(signals.Any) seq {
			return agents.Emit(signals.New(signals.Header{Confidence: 0.8}, signals.Proposal{ProposalID: "ship", Content: "ship it", Reasoning: "tests pass"}))
		}),
		on("keeper", signals.KindTask, func(signals.Any) seq {
			return agents.Emit(signals.New(signals.Header{Confidence: 0.6}, signals.Proposal{ProposalID: "wait", Content: "wait a week"}))
		}),
		on("doubter", signals.KindProposal, func(s signals.Any) seq {
			return agents.Emit(signals.New(signals.Header{Confidence: 0.4}, signals.Doubt{TargetSignalID: s.Head().ID, Concern: "no rollback", Severity: signals.High}))
		}),
		on("broken", signals.KindTask, func(signals.Any) seq { return agents.Fail(errors.New("no model")) }),
		on("ada", signals.KindProposal, votes(signals.Agree)),
		on("bob", signals.KindProposal, votes(signals.Agree)),
		on("cyn", signals.KindProposal, votes(signals.Agree)),
		on("dan", signals.KindProposal, votes(signals.Disagree)),
	}
	s, err := swarm.New(swarm.Options{
		Agents: team, Seed: 1, Quorum: 4,
		Clock: swarm.StepClock(epoch, time.Second),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var all []solves.Event
	for e, err := range s.Stream(t.Context(), signals.Task{Task: "ship or wait?"}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	return all
}

func show(t *testing.T, all []solves.Event, f func(solves.Event) error) {
	t.Helper()
	for _, e := range all {
		if err := f(e); err != nil {
			t.Fatal(err)
		}
	}
}

var elapsed = regexp.MustCompile(`refused, .*`)

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestTextIsPlainWhereThereIsNoTerminal(t *testing.T) {
	var b bytes.Buffer
	show(t, events(t), transcript.Text(&b, nil))
	golden(t, "solve.txt", elapsed.ReplaceAllString(b.String(), "refused, some time"))
}

func TestTextWithColourSaysTheSame(t *testing.T) {
	all := events(t)
	var plain, colour bytes.Buffer
	show(t, all, transcript.Text(&plain, nil))
	show(t, all, transcript.Text(&colour, &transcript.Options{Color: true}))
	if !strings.Contains(colour.String(), "\x1b[") {
		t.Fatal("no colour where it was asked for")
	}
	if diff := cmp.Diff(plain.String(), ansi.Strip(colour.String())); diff != "" {
		t.Error(diff)
	}
}

func TestTextNeverSendsAnAgentsControlCharacters(t *testing.T) {
	for _, full := range []bool{false, true} {
		var b bytes.Buffer
		show(t, events(t), transcript.Text(&b, &transcript.Options{Full: full}))
		for _, bad := range []string{"\x1b", "\x07", "\u202e", "\r"} {
			if strings.Contains(b.String(), bad) {
				t.Errorf("full %v: %q got through", full, bad)
			}
		}
		if !strings.Contains(b.String(), `\x1b[31m`) {
			t.Errorf("full %v: what was escaped is not shown", full)
		}
	}
}

func TestTextFitsItsWidth(t *testing.T) {
	for _, full := range []bool{false, true} {
		var b bytes.Buffer
		show(t, events(t), transcript.Text(&b, &transcript.Options{Width: 60, Full: full}))
		for line := range strings.Lines(b.String()) {
			if w := ansi.StringWidth(strings.TrimRight(line, "\n")); w > 60 {
				t.Errorf("full %v: %d columns: %s", full, w, line)
			}
		}
		if kept := strings.Count(strings.Join(strings.Fields(b.String()), " "), "very long") == 30; kept != full {
			t.Errorf("full %v: the whole text is shown: %v", full, kept)
		}
	}
}

func TestNoLineIsCutWithoutAWidth(t *testing.T) {
	for _, full := range []bool{false, true} {
		var b bytes.Buffer
		show(t, events(t), transcript.Text(&b, &transcript.Options{Width: -1, Full: full}))
		if !strings.Contains(b.String(), strings.TrimSpace(strings.Repeat("very long ", 30))+"\n") {
			t.Errorf("full %v: a line is cut or broken:\n%s", full, b.String())
		}
	}
}

func TestJSONIsOneObjectALineWithEverySignal(t *testing.T) {
	all := events(t)
	var b, log bytes.Buffer
	show(t, all, transcript.JSON(&b))
	show(t, all, transcript.Log(&log))
	golden(t, "solve.jsonl", b.String())

	counts := map[string]int{}
	for line := range strings.Lines(b.String()) {
		var e struct {
			Event  string
			Signal json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		counts[e.Event]++
		if e.Signal != nil {
			if _, err := signals.Unmarshal(e.Signal); err != nil {
				t.Errorf("%v: %s", err, line)
			}
		}
	}
	result := all[len(all)-1].(solves.Stopped).Result
	if counts["signal"] != len(result.Log) || strings.Count(log.String(), "\n") != len(result.Log) {
		t.Errorf("got %d signals and %d in the log, want %d", counts["signal"], strings.Count(log.String(), "\n"), len(result.Log))
	}
	for _, kind := range []string{"started", "round", "refused", "failed", "decision", "stopped"} {
		if counts[kind] == 0 {
			t.Errorf("no %q event", kind)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteErrorsAreReported(t *testing.T) {
	all := events(t)
	for name, f := range map[string]func(solves.Event) error{
		"text": transcript.Text(fullDisk{}, nil), "json": transcript.JSON(fullDisk{}), "log": transcript.Log(fullDisk{}),
	} {
		var failed error
		for _, e := range all {
			failed = errors.Join(failed, f(e))
		}
		if !errors.Is(failed, io.ErrShortWrite) {
			t.Errorf("%s: got %v", name, failed)
		}
	}
}

func TestSupportIsShownUntilASwarmHasLearned(t *testing.T) {
	all := events(t)
	result := all[len(all)-1].(solves.Stopped).Result
	for _, learned := range []bool{false, true} {
		result.Decision.Learned = learned
		var b bytes.Buffer
		show(t, all, transcript.Text(&b, &transcript.Options{Width: 200}))
		if got := strings.Contains(b.String(), "likely right"); got != learned {
			t.Errorf("learned %v: a probability is shown: %v", learned, got)
		}
		if got := strings.Contains(b.String(), "support 2.70 to 0.90"); got == learned {
			t.Errorf("learned %v: support is shown: %v", learned, got)
		}
		if strings.Contains(b.String(), "confidence 0") {
			t.Errorf("learned %v: what nobody measured is called confidence", learned)
		}
	}
}

func TestNothingIsLikelyRightWithoutVotes(t *testing.T) {
	all := events(t)
	result := all[len(all)-1].(solves.Stopped).Result
	result.Decision.Learned, result.Decision.Voters, result.Decision.Confidence = true, 0, 1
	var b bytes.Buffer
	show(t, all, transcript.Text(&b, &transcript.Options{Width: 200}))
	if strings.Contains(b.String(), "100% likely right") {
		t.Errorf("nobody has voted:\n%s", b.String())
	}
}

func TestPersonalitiesThatWereNotSetAreNotPrinted(t *testing.T) {
	for set, p := range map[bool]agents.Personality{false: {}, true: {Caution: 0.5}} {
		var b bytes.Buffer
		team := []*agents.Agent{{ID: "a", Role: "the role", Personality: p}}
		show(t, []solves.Event{solves.Started{Agents: team}}, transcript.Text(&b, nil))
		if got := strings.Contains(b.String(), "cautious"); got != set || !strings.Contains(b.String(), "the role") {
			t.Errorf("set %v: printed %v", set, got)
		}
	}
}

func TestQuestionsAndWhoWasLeftBehindAreShown(t *testing.T) {
	var b bytes.Buffer
	show(t, []solves.Event{
		solves.Spoke{Signal: signals.New(signals.Header{Source: "system"}, runlog.Late{Agent: "slow", Round: 2})},
		solves.Spoke{Signal: signals.New(signals.Header{Source: "system"}, settle.Unpaid{Agent: "poor", Debate: settle.Debate{A: "a", B: "b", Round: 1}})},
		solves.Stopped{Result: &solves.Result{
			Stop: runlog.StopEscalated, Cost: solves.Cost{LeftBehind: []string{"deaf"}},
			Question: &solves.Question{Asks: "worried", Reason: "needs a person", Options: []string{"a", "b"}},
		}},
	}, transcript.Text(&b, nil))
	for _, want := range []string{"slow was late in round 2", "poor cannot pay for a debate about a and b", "deaf had not returned", "worried asks: needs a person", "options: a, b"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, b.String())
		}
	}
}

func TestLongLinesBreakAtSpacesAndWideRunesTakeTwoColumns(t *testing.T) {
	say := func(text string, width int) string {
		var b bytes.Buffer
		show(t, []solves.Event{solves.Started{Task: signals.Task{Task: text}}}, transcript.Text(&b, &transcript.Options{Width: width, Full: true, Color: true}))
		lines := strings.SplitAfter(ansi.Strip(b.String()), "\n")
		for i := range lines {
			if strings.TrimSpace(lines[i]) == "" || strings.HasPrefix(strings.TrimSpace(lines[i]), "thread") {
				return strings.Join(lines[:i], "")
			}
		}
		return ""
	}
	if got, want := say("one two three four", 14), "Task  one two\nthree four\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := say("aaaaaaaaaaaaaaaa", 10), "Task\naaaaaaaaaa\naaaaaa\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for line := range strings.Lines(say("日本語日本語日本語日本語", 10)) {
		if w := ansi.StringWidth(strings.TrimRight(line, "\n")); w > 10 {
			t.Errorf("%q takes %d columns", line, w)
		}
	}
}
