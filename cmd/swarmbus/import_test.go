package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// logged returns the CloudEvents of a run.
func logged(t *testing.T, path string) string {
	t.Helper()
	status, out, stderr := swarmbusRun(t, "log", path, "--format", "cloudevents")
	if status != cli.ExitDecided {
		t.Fatalf("status %d: %s", status, stderr)
	}
	return out
}

func TestEventsOfALogAreImportedByteForByte(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run")
	keepSolves(t, path, "decide", "reject")
	want := logged(t, path)
	batch := "[\n" + strings.Join(strings.Split(strings.TrimSpace(want), "\n"), ",\n") + "\n]\n"
	for name, text := range map[string]string{"lines": want, "batch": batch} {
		file, again := filepath.Join(dir, name+".json"), filepath.Join(dir, name+".journal")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, _, stderr := swarmbusRun(t, "import", "--format", "cloudevents", "--strict", file, again); status != cli.ExitDecided {
			t.Fatalf("%s: status %d: %s", name, status, stderr)
		}
		if got := logged(t, again); got != want {
			t.Errorf("%s: the log of the import is another one:\n%s\nwant:\n%s", name, got, want)
		}
		for _, args := range [][]string{{"show"}, {"replay", "--check"}, {"verify"}} {
			_, was, _ := swarmbusRun(t, append(args, path)...)
			status, out, stderr := swarmbusRun(t, append(args, again)...)
			if status != cli.ExitDecided || out == "" || args[0] == "show" && out != was {
				t.Errorf("%s: %v: status %d: %s%s\nwant %s", name, args, status, out, stderr, was)
			}
		}
	}
}

func TestEventsThatAreNoSignalsAreKeptRawOrRefusedWithAReasonAndACount(t *testing.T) {
	dir := t.TempDir()
	file, path := filepath.Join(dir, "events.jsonl"), filepath.Join(dir, "run.journal")
	raw := `{"specversion":"1.0","id":"e2","source":"/shop","type":"acme.example/order","time":"2026-01-02T03:04:05Z","datacontenttype":"application/json","sequence":"2","data":{"n": 1}}`
	text := `{"specversion":"1.0","id":"e1","source":"/ann","type":"vote","datacontenttype":"application/json","sequence":"1","confidence":"0.5","data":{"proposalId":"p","stance":"agree","weight":1}}
` + raw + `
{"specversion":"1.0","id":"e3","source":"https://github.com/cloudevents","type":"com.github.pull.create","data":{}}
{"specversion":"0.3","id":"e4","source":"/ann","type":"vote","data":{}}
{"specversion":"1.0","id":"e5","source":"/ann","type":"vote","data":{"proposalId":"p","stance":"maybe"}}
{"specversion":"1.0","id":"e6","source":"/ann","type":"x","datacontenttype":"text/xml","data":"<a/>"}
{"specversion":"1.0","id":"e7","source":"/ann","type":"x","sequence":"1","data":{}}
nonsense
{"specversion":"1.0","id":"e8","source":"/ann","type":"task:new","data":{"task":"t"}}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := swarmbusRun(t, "import", "--format", "cloudevents", file, path)
	if status != cli.ExitDecided {
		t.Fatalf("status %d: %s", status, stderr)
	}
	for _, want := range []string{
		"refused: line 3: ", "source", "refused: line 4: ", "specversion", "refused: line 5: ", "stance", "refused: line 6: ", "datacontenttype",
		"refused: line 7: ", "not after 2", "refused: line 8: ", "not a JSON object", "3 signals, 1 of them of other kinds; 6 refused\n",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("it does not say %q: %s", want, stderr)
		}
	}
	lines := strings.Split(strings.TrimSpace(logged(t, path)), "\n")
	if len(lines) != 3 || lines[1] != raw || !strings.Contains(lines[2], `"sequence":"3"`) {
		t.Errorf("got %q", lines)
	}
	if status, _, _ := swarmbusRun(t, "import", "--format", "cloudevents", "--strict", file, filepath.Join(dir, "strict.journal")); status != cli.ExitError {
		t.Errorf("--strict: status %d", status)
	}
	if _, err := os.Stat(filepath.Join(dir, "strict.journal")); !os.IsNotExist(err) {
		t.Errorf("--strict made a run: %v", err)
	}
}

// event is a CloudEvent that is a signal.
func event(id, rest string) string {
	return `{"specversion":"1.0","id":"` + id + `","source":"/ann","type":"vote","data":{"proposalId":"p","stance":"agree","weight":1}` + rest + `}`
}

func TestEveryEventOfAFileIsReadOrRefused(t *testing.T) {
	for name, c := range map[string]struct {
		text, says string
		lines      int
	}{
		"two batches":         {"[" + event("1", "") + ",\n" + event("2", "") + "]\n[" + event("3", "") + "]", "3 signals, 0 of them of other kinds; 0 refused", 3},
		"behind a batch":      {"[" + event("1", "") + "]\ngarbage!!\n" + event("2", ""), "refused: line 2: ", 2},
		"a batch with a NaN":  {"[" + event("1", "") + "," + event("2", `,"x":NaN`) + "," + event("3", "") + "]", "refused: batch in line 1: event 2: ", 2},
		"a repeated event":    {event("1", "") + "\n" + event("2", "") + "\n" + event("1", ""), `refused: line 3: signals: vote.id = "1": used by an earlier event of this source`, 2},
		"a number again":      {event("1", `,"sequence":"3"`) + "\n" + event("2", `,"sequence":"3"`) + "\n" + event("4", ""), "refused: line 2: signals: vote.sequence", 2},
		"the last number":     {event("1", `,"sequence":"18446744073709551615"`) + "\n" + event("2", "") + "\n" + event("3", `,"sequence":"7"`), "refused: line 1: signals: vote.sequence", 2},
		"a byte order mark":   {"\ufeff" + event("1", "") + "\n" + event("2", ""), "; 0 refused", 2},
		"the mark of a batch": {"\ufeff[" + event("1", "") + "]", "; 0 refused", 1},
	} {
		dir := t.TempDir()
		file, path := filepath.Join(dir, "events.json"), filepath.Join(dir, "run.journal")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		status, _, stderr := swarmbusRun(t, "import", "--format", "cloudevents", file, path)
		if status != cli.ExitDecided || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: status %d, it does not say %q: %s", name, status, c.says, stderr)
			continue
		}
		if got := strings.Count(logged(t, path), "\n"); got != c.lines {
			t.Errorf("%s: %d signals, want %d", name, got, c.lines)
		}
		want := cli.ExitDecided
		if strings.HasPrefix(c.says, "refused") {
			want = cli.ExitError // one refusal is enough
		}
		if status, _, stderr := swarmbusRun(t, "import", "--format", "cloudevents", "--strict", file, filepath.Join(dir, "strict.journal")); status != want {
			t.Errorf("%s: --strict: status %d: %s", name, status, stderr)
		}
	}
}

func TestImportOfEventsWithoutTheirFormatSaysWhichOneToName(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "events.jsonl")
	if err := os.WriteFile(file, []byte(`{"specversion":"1.0","id":"e1","source":"/ann","type":"vote","data":{}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := swarmbusRun(t, "import", file, filepath.Join(dir, "run.journal")); status != cli.ExitError || !strings.Contains(stderr, "--format cloudevents") {
		t.Errorf("status %d: %s", status, stderr)
	}
}
