package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

const committedTape = "../../examples/thinkers/retry.cassette"

// FuzzDamagedCassettes plays, imports and shows cassettes of which a part is another:
// whatever it is, the program says what is wrong and does not panic or go on for ever.
func FuzzDamagedCassettes(f *testing.F) {
	whole, err := os.ReadFile(committedTape)
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{``, `null`, `"`, `"quorum":1000000000,"x":3,`, `"turn":-1,"x":`, `{"answer":null}`, `{"failed":{}}`, `\u0000`, "\xff", "\n"} {
		for _, at := range []int{0, 140, 250, 600, len(whole) - 3} {
			f.Add(at, 4, []byte(s))
		}
	}
	f.Fuzz(func(t *testing.T, at, n int, with []byte) {
		if at < 0 || n < 0 || at+n < at || at+n > len(whole) || len(with) > 1000 {
			return
		}
		dir := t.TempDir()
		tape, journal := filepath.Join(dir, "tape"), filepath.Join(dir, "run.journal")
		if err := os.WriteFile(tape, bytes.Join([][]byte{whole[:at], with, whole[at+n:]}, nil), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"solve", "--cassette", tape, "--deadline", "5m"}, {"import", tape, journal}, {"show", journal}, {"log", journal}, {"runs", dir}, {"replay", journal}, {"solve", "--resume", journal, "--deadline", "1ms"},
		} {
			status, _, stderr := swarmbusRun(t, args...)
			if status == cli.ExitError && !strings.HasPrefix(stderr, "swarmbus: ") && !strings.Contains(stderr, "\nswarmbus: ") {
				t.Errorf("%q: status %d: %s", args, status, stderr)
			}
		}
	})
}

func TestTermsOutOfBoundsAreDamage(t *testing.T) {
	whole, err := os.ReadFile(committedTape)
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		`"id":"critic"`: `"id":"planner"`, `"team":{`: `"team":{"rounds":-1,`, `"model":"openai:large"`: `"model":"large"`, `"agents":[`: `"agents":[],"none":[`,
	} {
		damaged := strings.Replace(string(whole), from, to, 1)
		path := filepath.Join(t.TempDir(), "tape")
		if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil || damaged == string(whole) {
			t.Fatal(from, err)
		}
		if status, _, stderr := swarmbusRun(t, "solve", "--cassette", path); status != cli.ExitError || !strings.Contains(stderr, "damaged") {
			t.Errorf("%s: status %d: %s", to, status, stderr)
		}
	}
}
