package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

const officeFile = "../../examples/rooms/office.yaml"

// steps are messages of a day, with their rooms.
var steps = [][2]string{
	{"ops", "Who is here?"},
	{"ops", "Is the backup whole?"},
	{"ops", "What does it cost?"},
	{"design", "Which colour?"},
	{"front", "FYI @Otto note this"},
	{"front", "Who is it?"},
	{"ops", "@Otto note that"},
}

// typed is what the user types from a step on.
func typed(from, days int) string {
	lines := []string{"/wait"}
	for n := from; n < days*len(steps); n++ {
		step := steps[n%len(steps)]
		lines = append(lines, "/room "+step[0], fmt.Sprintf("%s (%d)", step[1], n), "/wait")
	}
	return strings.Join(lines, "\n") + "\n"
}

// anOfficeDay runs the program on what is typed, and kills it after a while; 0: not. It
// returns what the program printed.
func anOfficeDay(t *testing.T, path string, lines string, after time.Duration) (killed bool, printed string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Args = []string{"swarmbus", "rooms", officeFile, "--run", path, "--room", "ops"}
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(lines), &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		defer time.AfterFunc(after, func() { _ = cmd.Process.Kill() }).Stop()
	}
	err := cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); err != nil && code >= 0 {
		t.Fatalf("exit status %d: %s", code, errs.String())
	}
	return err != nil, out.String()
}

// inLog returns the state of a run and its lasting events as text, by room, without what
// depends on the time.
func inLog(t *testing.T, path string) (*roomlog.State, map[string][]string, int) {
	t.Helper()
	v, err := journal.NewView(path)
	if err != nil {
		return nil, nil, 0 // killed before there was a journal
	}
	state, err := rooms.Load(v)
	if err != nil {
		t.Fatal(err)
	}
	texts, users := map[string][]string{}, 0
	for e, err := range rooms.Log(v, 0) {
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprint(e.From, " ", e.Common().Priority, " ", e.Common().Turn, " ")
		switch b := e.Body.(type) {
		case events.User:
			users++
			text += b.Content
		case events.Dialogue:
			text += fmt.Sprint(b.Content, b.To, b.Hops, b.Stream)
		case events.Mailbox:
			text += fmt.Sprint(b.Ix, b.MailboxID, b.Subject)
		case events.Tool:
			if !b.Status.Over() {
				continue
			}
			text += fmt.Sprint(b.Ix, b.ToolName, b.Status, *b.Result, *b.Stub)
		case events.System:
			text += b.Content
		case events.Pass, events.Key:
			continue
		}
		texts[e.Room] = append(texts[e.Room], text)
	}
	return state, texts, users
}

// agentsIn returns the turns and credits of all agents.
func agentsIn(state *roomlog.State) (all []string) {
	for a := range state.Agents() {
		all = append(all, fmt.Sprint(a.Name, a.Turns, a.Session, a.Queues.Turns(), a.Queues.Credits(), a.Queues.Total(), a.Failures, len(a.Mail)))
	}
	return append(all, fmt.Sprint(len(state.Ledger())))
}

// userSaid reports whether the user said a text.
func userSaid(texts map[string][]string, text string) bool {
	for _, all := range texts {
		if slices.ContainsFunc(all, func(line string) bool { return strings.HasPrefix(line, "user ") && strings.HasSuffix(line, text) }) {
			return true
		}
	}
	return false
}

// TestAnOfficeThatIsKilledEndsItsDayAsOneThatIsNot kills the program at random moments. What
// the user saw of their own messages was acknowledged.
func TestAnOfficeThatIsKilledEndsItsDayAsOneThatIsNot(t *testing.T) {
	dir := t.TempDir()
	days := 2 + *kills/5
	whole := filepath.Join(dir, "whole"+runs.Suffix)
	anOfficeDay(t, whole, typed(0, days), 0)
	wantState, want, _ := inLog(t, whole)

	seed := uint64(os.Getpid())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for n, round := 0, 0; n < *kills; round++ {
		path := filepath.Join(dir, fmt.Sprint("killed", round, runs.Suffix))
		n += killDays(t, path, days, *kills-n, random)
		gotState, got, _ := inLog(t, path)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %d kills (-whole +killed):\n%s", n, diff)
		}
		if diff := cmp.Diff(agentsIn(wantState), agentsIn(gotState)); diff != "" {
			t.Errorf("agents after %d kills (-whole +killed):\n%s", n, diff)
		}
	}
}

// killDays plays the days to their end, and kills the program on the way as often as it can
// but at most so many times. It returns how often it did.
func killDays(t *testing.T, path string, days, most int, random *rand.Rand) (n int) {
	t.Helper()
	for done := 0; ; {
		after := time.Duration(0)
		if n < most {
			after = time.Duration(5+random.IntN(120)) * time.Millisecond
		}
		killed, printed := anOfficeDay(t, path, typed(done, days), after)
		_, texts, users := inLog(t, path)
		for line := range strings.Lines(printed) {
			if _, text, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && strings.HasPrefix(line, "you") && !userSaid(texts, text) {
				t.Fatalf("%q was acknowledged and is not in the log", text)
			}
		}
		if texts != nil {
			if status, _, errs := swarmbusRun(t, "verify", path); status != exitDecided {
				t.Fatalf("after %d kills: %s", n, errs)
			}
		}
		if !killed {
			return n
		}
		n, done = n+1, users
	}
}

func TestRoomsAreShownAndVerifiedOutsideOfTheirProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "day"+runs.Suffix)
	anOfficeDay(t, path, typed(0, 1), 0)
	status, out, errs := swarmbusRun(t, "room", "show", "ops", "§1", "--run", path)
	if status != exitDecided || !strings.Contains(out, "entities.db  synced 12 h ago") {
		t.Errorf("section: status %d: %s%s", status, out, errs)
	}
	if status, out, errs := swarmbusRun(t, "show", path); status != exitError || out != "" || !strings.Contains(errs, "there is no solve in "+path) {
		t.Errorf("show of a run with rooms: status %d, %q, %q", status, out, errs)
	}
	if status, _, errs := swarmbusRun(t, "room", "show", "ops", "§9", "--run", path); status != exitError || !strings.Contains(errs, "no section §9") {
		t.Errorf("a section that there is not: status %d: %s", status, errs)
	}
	status, out, errs = swarmbusRun(t, "verify", path)
	if status != exitDecided {
		t.Fatalf("verify: status %d: %s%s", status, out, errs)
	}
	lines := strings.Split(out, "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "room ops: ") })
	head := lines[i][strings.LastIndex(lines[i], " ")+1:]
	if status, _, errs := swarmbusRun(t, "verify", path, "--head", "ops="+head); status != exitDecided {
		t.Errorf("with its head: %s", errs)
	}
	if status, _, errs := swarmbusRun(t, "verify", path, "--head", "ops="+strings.Repeat("0", 64)); status != exitError || !strings.Contains(errs, `room "ops": missing`) {
		t.Errorf("with another head: status %d: %s", status, errs)
	}
	if status, out, _ := swarmbusRun(t, "export", "--sidecar", path); status != exitDecided || !strings.Contains(out, "## S1 `backup-audit`") {
		t.Errorf("sidecar: status %d: %s", status, out)
	}
}
