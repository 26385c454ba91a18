package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/deciding"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

const (
	officeFile = "../../examples/rooms/office.yaml"
	dayFile    = "../../swarm/rooms/office/testdata/day.txtar"
)

// A step is a line that the user types on the scripted day.
type step struct {
	line  string
	room  string // in which it is typed
	lasts bool   // it leaves something in the log: a message, or the restart of an agent
}

// dayOf returns the steps of the scripted day.
func dayOf(t *testing.T) (all []step) {
	t.Helper()
	archive, err := txtar.ParseFile(dayFile)
	if err != nil {
		t.Fatal(err)
	}
	room := "ops"
	for line := range strings.Lines(string(archive.Files[0].Data)) {
		line, typed := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "< ")
		if !typed {
			continue
		}
		command, rest, _ := strings.Cut(line, " ")
		lasts := !strings.HasPrefix(line, "/") || slices.Contains([]string{"/urgent", "/normal", "/background", "/decide", "/restart"}, command)
		all = append(all, step{line, room, lasts})
		if command == "/room" {
			room = rest
		}
	}
	return all
}

// behind returns what is left of a day behind so many steps that last.
func behind(day []step, done int) []step {
	for i, s := range day {
		if s.lasts {
			done--
		}
		if done < 0 {
			return day[i:]
		}
		if done == 0 && s.lasts {
			return day[i+1:]
		}
	}
	return nil
}

// typed returns the lines of steps, and the room in which they begin.
func typed(all []step) (room, lines string) {
	room = "ops"
	if len(all) > 0 {
		room = all[0].room
	}
	for _, s := range all {
		lines += s.line + "\n"
	}
	return room, lines
}

// anOfficeDay runs the program on lines, to their end.
func anOfficeDay(t *testing.T, path, lines string) string {
	t.Helper()
	_, printed := aLife(t, officeFile, path, "ops", lines, nil)
	return printed
}

// aLife runs the program on lines, from a room on, until it has done them or until over returns.
// nil: it is not killed. It returns whether it was, and what it printed.
func aLife(t *testing.T, file, path, room, lines string, over func(ended <-chan struct{})) (killed bool, printed string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Args = []string{"swarmbus", "rooms", file, "--run", path, "--room", room}
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(lines), &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		if over != nil {
			over(ended)
			_ = cmd.Process.Kill()
		}
	}()
	err := cmd.Wait()
	close(ended)
	<-watched
	if code := cmd.ProcessState.ExitCode(); err != nil && code >= 0 {
		t.Fatalf("exit status %d: %s", code, errs.String())
	}
	return err != nil, out.String()
}

// grown returns when a file has grown to a size, and a while after that, or when ended is closed.
func grown(path string, size int64, after time.Duration) func(ended <-chan struct{}) {
	return func(ended <-chan struct{}) {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			if about, err := os.Stat(path); size == 0 || err == nil && about.Size() >= size {
				break
			}
			select {
			case <-tick.C:
			case <-ended:
				return
			}
		}
		select {
		case <-time.After(after):
		case <-ended:
		}
	}
}

// inLog returns the state of a run and its lasting events as text, by room, without what
// depends on the time, and how many steps left something in it.
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
	texts, done := map[string][]string{}, 0
	for e, err := range rooms.Log(v, 0) {
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprint(e.From, " ", e.Common().Priority, " ", e.Common().Turn, " ")
		switch b := e.Body.(type) {
		case events.User:
			done++
			text += b.Content
		case events.Dialogue:
			text += fmt.Sprint(b.Content, b.To, b.Hops, b.Stream)
		case events.Mailbox:
			text += fmt.Sprint(b.Ix, b.MailboxID, b.Subject)
		case events.Tool:
			if !b.Status.Over() {
				continue
			}
			text += fmt.Sprint(b.Ix, b.ToolName, b.Status, *b.Stub)
			if b.ToolName != deciding.Tool { // a transcript says when it was interrupted
				text += *b.Result
			}
		case events.Signal:
			text += fmt.Sprint(b.Ix, b.By, b.What)
		case events.System:
			text += b.Content
			if b.What == events.Restarted && e.Room == "ops" { // Reed is in two rooms
				done++
			}
		case events.Pass, events.Key:
			continue
		}
		texts[e.Room] = append(texts[e.Room], text)
	}
	return state, texts, done
}

// agentsIn returns the turns and credits of all agents, the mail, and what is unread.
func agentsIn(state *roomlog.State) (all []string) {
	for a := range state.Agents() {
		all = append(all, fmt.Sprint(a.Name, a.Turns, a.Session, a.Queues.Turns(), a.Queues.Credits(), a.Queues.Total(), a.Failures, len(a.Mail)))
	}
	for r := range state.Rooms() {
		all = append(all, fmt.Sprint(r.Name, r.Ix(), r.Unread()))
	}
	return append(all, fmt.Sprint(state.Ledger()))
}

// picks returns the turns of each agent, with the queues that their messages were in and why
// they were picked.
func picks(t *testing.T, path string) map[string][]string {
	t.Helper()
	v, err := journal.NewView(path)
	if err != nil {
		t.Fatal(err)
	}
	codec, err := signals.NewCodec(roomlog.Payloads()...)
	if err != nil {
		t.Fatal(err)
	}
	codec.Limits.TextBytes = rooms.ResultBytes
	all, stated := map[string][]string{}, map[uint64]schedule.Priority{}
	for s, err := range journal.Signals(v, codec, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e, is := events.Of(s); is {
			stated[e.Seq] = e.Common().Priority
		}
		if b, is := s.Body().(roomlog.Began); is {
			h := s.Head()
			promoted := b.Message != 0 && b.Level != stated[b.Message]
			all[h.Source] = append(all[h.Source], fmt.Sprint(b.Turn, h.Thread, b.Why, b.Level, b.Waited, promoted))
		}
	}
	return all
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

// TestAnOfficeThatIsKilledEndsItsDayAsOneThatIsNot plays the scripted day, which has mail,
// tools, passes, a failure, a promotion, a restart and a decision, and kills the program at
// random moments. What the user saw of their own messages was acknowledged.
func TestAnOfficeThatIsKilledEndsItsDayAsOneThatIsNot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	day, file := dayOf(t), patient(t, dir)
	whole := filepath.Join(dir, "whole"+runs.Suffix)
	room, lines := typed(day)
	aLife(t, file, whole, room, lines, nil)
	wantState, want, done := inLog(t, whole)
	if left := behind(day, done); len(left) != 1 || !promoted(picks(t, whole)) {
		t.Fatalf("the day is not that of %s: %v is left", dayFile, left)
	}
	size := sizeOf(t, whole)
	seed := uint64(os.Getpid())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for n, round := 0, 0; n < *kills; round++ {
		path := filepath.Join(dir, fmt.Sprint("killed", round, runs.Suffix))
		n += killDay(t, file, path, day, size, *kills-n, random)
		gotState, got, _ := inLog(t, path)
		for _, diff := range []string{cmp.Diff(want, got), cmp.Diff(agentsIn(wantState), agentsIn(gotState)), cmp.Diff(picks(t, whole), picks(t, path))} {
			if diff != "" {
				t.Errorf("after %d kills (-whole +killed):\n%s", n, diff)
			}
		}
	}
}

// patient returns the office of the examples, in which a turn that the user types through takes
// longer, so that a busy machine does not change the day.
func patient(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(officeFile)
	if err != nil {
		t.Fatal(err)
	}
	longer := strings.Replace(string(text), "takes: 1s", "takes: 4s", 1)
	if longer == string(text) {
		t.Fatal("no turn takes 1s")
	}
	file := filepath.Join(dir, "office.yaml")
	if err := os.WriteFile(file, []byte(longer), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// promoted reports whether a background message waited until it was normal.
func promoted(picks map[string][]string) bool {
	return slices.ContainsFunc(picks["Otto"], func(pick string) bool { return strings.HasSuffix(pick, "true") })
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	about, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return about.Size()
}

// killDay plays the day to its end, and kills the program on the way as often as it can but at
// most so many times: behind a record, or at any time. It returns how often it did.
func killDay(t *testing.T, file, path string, day []step, whole int64, most int, random *rand.Rand) (n int) {
	t.Helper()
	var size int64
	for done := 0; ; {
		var over func(<-chan struct{})
		switch {
		case n >= most:
		case random.IntN(3) == 0:
			over = grown(path, 0, time.Duration(random.IntN(300))*time.Millisecond)
		default:
			over = grown(path, size+1+random.Int64N(whole/4), time.Duration(random.IntN(3000))*time.Microsecond)
		}
		room, lines := typed(behind(day, done))
		if done == 0 {
			room, lines = typed(day)
		}
		killed, printed := aLife(t, file, path, room, lines, over)
		_, texts, now := inLog(t, path)
		for line := range strings.Lines(printed) {
			if _, text, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && strings.HasPrefix(line, "you") && !userSaid(texts, text) {
				t.Fatalf("%q was acknowledged and is not in the log", text)
			}
		}
		if texts != nil {
			if status, _, errs := swarmbusRun(t, "verify", path); status != cli.ExitDecided {
				t.Fatalf("after %d kills: %s", n, errs)
			}
			size = sizeOf(t, path)
		}
		if !killed {
			return n
		}
		n, done = n+1, now
	}
}

func TestRoomsAreShownAndVerifiedOutsideOfTheirProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "day"+runs.Suffix)
	anOfficeDay(t, path, "Is the backup whole?\n/wait\n")
	status, out, errs := swarmbusRun(t, "room", "show", "ops", "§1", "--run", path)
	if status != cli.ExitDecided || !strings.Contains(out, "entities.db  synced 12 h ago") {
		t.Errorf("section: status %d: %s%s", status, out, errs)
	}
	if status, out, errs := swarmbusRun(t, "show", path); status != cli.ExitError || out != "" || !strings.Contains(errs, "no solve in "+path) {
		t.Errorf("show of a run with rooms: status %d, %q, %q", status, out, errs)
	}
	if status, _, errs := swarmbusRun(t, "room", "show", "ops", "§9", "--run", path); status != cli.ExitError || !strings.Contains(errs, "no section §9") {
		t.Errorf("a section that there is not: status %d: %s", status, errs)
	}
	status, out, errs = swarmbusRun(t, "verify", path)
	if status != cli.ExitDecided {
		t.Fatalf("verify: status %d: %s%s", status, out, errs)
	}
	lines := strings.Split(out, "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "room ops: ") })
	head := lines[i][strings.LastIndex(lines[i], " ")+1:]
	if status, _, errs := swarmbusRun(t, "verify", path, "--head", "ops="+head); status != cli.ExitDecided {
		t.Errorf("with its head: %s", errs)
	}
	if status, out, errs := swarmbusRun(t, "verify", path, "--head", "ops="+strings.Repeat("0", 64)); out != "" || status != cli.ExitError || !strings.Contains(errs, `room "ops": missing`) {
		t.Errorf("with another head: status %d: %s", status, errs)
	}
	if status, out, errs := swarmbusRun(t, "verify", path, "--process", base64.StdEncoding.EncodeToString(make([]byte, 32))); out != "" || status != cli.ExitError {
		t.Errorf("with another key: status %d: %s%s", status, out, errs)
	}
	if status, out, _ := swarmbusRun(t, "export", "--sidecar", path); status != cli.ExitDecided || !strings.Contains(out, "## S1 `backup-audit`") {
		t.Errorf("sidecar: status %d: %s", status, out)
	}
}

func TestRoomMailListsTheLedger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "day"+runs.Suffix)
	anOfficeDay(t, path, "@Reed, flag it to Via.\n/wait\n")
	status, out, errs := swarmbusRun(t, "room", "mail", "--run", path)
	if status != cli.ExitDecided || !regexp.MustCompile(`(?m)^1 +Reed +Via +front §\d+ +turn 1$`).MatchString(out) {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	if _, out, _ := swarmbusRun(t, "room", "mail", "--run", path, "--json"); !strings.Contains(out, `"mailbox_id":1`) && !strings.Contains(out, `"mailbox_id": 1`) {
		t.Errorf("as JSON: %s", out)
	}
}
