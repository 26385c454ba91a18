package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

func TestOfficeThatCannotStartLeavesNothingBehind(t *testing.T) {
	t.Setenv("NO_SUCH_KEY", "")
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const reed = "  - {name: Reed, rooms: [ops], script: [{say: x}]}\n"
	for name, args := range map[string][]string{
		"no such room":     {officeFile, "--room", "nowhere"},
		"two of one name":  {write("twice.yaml", "agents:\n"+reed+strings.Replace(reed, "Reed", "reed", 1))},
		"a negative queue": {write("queue.yaml", "queue: -1\nagents:\n"+reed)},
		"no key":           {write("key.yaml", "models: {big: {provider: anthropic, name: x, key: NO_SUCH_KEY}}\nagents:\n  - {name: Reed, rooms: [ops], model: big}\n")},
	} {
		t.Run(name, func(t *testing.T) {
			state := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
			status, _, errs := swarmbusRun(t, append([]string{"rooms", "--run", filepath.Join(state, "day"+runs.Suffix)}, args...)...)
			if status == cli.ExitDecided {
				t.Error("it started")
			}
			if left, err := os.ReadDir(state); err == nil {
				t.Errorf("%s: there is %v", strings.TrimSpace(errs), left)
			}
		})
	}
}

func TestHeadWithoutAnIDIsAMistake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "day"+runs.Suffix)
	anOfficeDay(t, path, "/quit\n")
	for _, head := range []string{"ops", "ops="} {
		if status, _, errs := swarmbusRun(t, "verify", path, "--head", head); status != cli.ExitUsage || !strings.Contains(errs, "is not ROOM=ID") {
			t.Errorf("%s: status %d: %s", head, status, errs)
		}
	}
}

func TestHeadsOfOneRoomThatDifferAreAMistake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "day"+runs.Suffix)
	anOfficeDay(t, path, "/quit\n")
	if status, _, errs := swarmbusRun(t, "verify", path, "--head", "ops=a", "--head", "ops=b"); status != cli.ExitUsage || !strings.Contains(errs, "given twice") {
		t.Errorf("status %d: %s", status, errs)
	}
}

func TestVerifyFindsRecordsThatNoRouterWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "day"+runs.Suffix)
	anOfficeDay(t, path, "/quit\n")
	store, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	forged := signals.New(signals.Header{Source: "Reed", Thread: "ops", Seq: store.Last() + 1, Confidence: 1}, roomlog.Ended{Turn: 1, Outcome: roomlog.Spoke})
	record, err := journal.SignalRecord(forged)
	if err == nil {
		_, err = store.Append(record)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if status, out, errs := swarmbusRun(t, "verify", path); status != cli.ExitError || !strings.Contains(errs, "room.ended from Reed") {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
}

func TestLineOfTenMegabytesIsRefusedAndTheSessionGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "day"+runs.Suffix)
	out := anOfficeDay(t, path, strings.Repeat("x", 10<<20)+"\nWho is here?\n/wait\n")
	if !slices.ContainsFunc(strings.Split(out, "\n"), func(line string) bool { return strings.HasPrefix(line, "  ? ") && len(line) < 200 }) ||
		!strings.Contains(out, "Reed: I am Reed.") || len(out) > 1<<12 {
		t.Errorf("it shows %d bytes: %.2000s", len(out), out)
	}
}

func TestInputThatCannotBeReadIsAnError(t *testing.T) {
	var out bytes.Buffer
	closed, err := os.Open(officeFile)
	if err == nil {
		err = closed.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "day"+runs.Suffix)
	if err := (officeFlags{run: path}).talk(t.Context(), officeFile, closed, &out); err == nil {
		t.Error("no error")
	}
}
