package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/swarmbus/swarmbus/internal/text"
)

// TestShell runs the lines of testdata/shell.txtar that begin with "$ " in a shell, one after the
// other in a directory with the files of the archive, and compares what is printed with what stands
// below them: standard output and error, and the status unless it is 0.
func TestShell(t *testing.T) {
	_, err1 := exec.LookPath("bash")
	_, err2 := exec.LookPath("script")
	if err := errors.Join(err1, err2); err != nil || runtime.GOOS != "linux" {
		t.Skip("it needs bash, /dev/full, and script of util-linux:", err)
	}
	const golden = "testdata/shell.txtar"
	archive, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	cassette, err := os.ReadFile("../../examples/thinkers/retry.cassette")
	if err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs(golden)
	if err != nil {
		t.Fatal(err)
	}
	clearKeys(t)
	dir := filepath.Join(t.TempDir(), "home")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	t.Setenv("TZ", "Asia/Kolkata")
	for _, f := range append(archive.Files, txtar.File{Name: "retry.cassette", Data: cassette}) {
		if err := os.WriteFile(f.Name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := string(archive.Comment)
	var got strings.Builder
	for line := range strings.Lines(want) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		got.WriteString(line)
		if command, is := strings.CutPrefix(line, "$ "); is {
			got.WriteString(inShell(t, dir, command))
		}
	}
	if *update {
		archive.Comment = []byte(got.String())
		if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(want, got.String()); d != "" {
		t.Errorf("-want +got; -update rewrites the file:\n%s", d)
	}
}

// What differs from run to run.
var varies = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+05:30)`), "TIME$2"},
	{regexp.MustCompile(`"millis":[0-9.e-]+`), `"millis":0`},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"},
	{regexp.MustCompile(`\b5\d{3}\b`), "5000"}, // bytes of a journal, by the digits of its times
	{regexp.MustCompile(`go1\.[^" ]*`), "GO"},
}

func inShell(t *testing.T, dir, command string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "bash", "-c", command).CombinedOutput()
	said := strings.ReplaceAll(string(out), dir, "DIR")
	for _, v := range varies {
		said = v.is.ReplaceAllString(said, v.as)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		said += fmt.Sprintf("(%d)\n", exit.ExitCode())
	} else if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for line := range strings.Lines(said) {
		lines.WriteString("\t" + strings.TrimSuffix(line, "\n") + "\n")
	}
	return lines.String()
}

func TestAPrintedCommandIsReadByAShellAsItWas(t *testing.T) {
	for _, word := range []string{"x", "", "a b", "it's", `"$HOME" \ *`, "a\nb", "\t'\x1b[2J\\", "日本 x", "\u202e", "#", "~", "é"} {
		line := text.Shell("printf", "%s.", word)
		if strings.ContainsAny(line, "\n\x1b\u202e") {
			t.Errorf("%q is printed as %q", word, line)
		}
		out, err := exec.CommandContext(t.Context(), "bash", "-c", line).Output()
		if err != nil || string(out) != word+"." {
			t.Errorf("%s: got %q, %v, want %q", line, out, err, word)
		}
	}
}
