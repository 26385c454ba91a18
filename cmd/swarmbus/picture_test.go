package main

import (
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// colours are those of a terminal, by the codes that the command prints.
var colours = map[string]string{"1": `font-weight="bold"`, "2": `fill="#8b949e"`, "31": `fill="#ff7b72"`, "32": `fill="#7ee787"`, "33": `fill="#e3b341"`, "34": `fill="#79c0ff"`}

// TestPictureShowsWhatTheCommandPrints draws the terminal of README.md; go test -run
// Picture -update ./cmd/swarmbus writes it anew.
func TestPictureShowsWhatTheCommandPrints(t *testing.T) {
	const file = "docs/images/terminal.svg"
	t.Chdir("../..")
	for name, value := range map[string]string{"CLICOLOR_FORCE": "1", "COLORTERM": "", "TERM": "xterm"} {
		t.Setenv(name, value)
	}
	printed, errs, status := called(t, "solve", "--cassette", "examples/thinkers/retry.cassette")
	if status != 0 {
		t.Fatal(errs)
	}
	_, rounds, _ := strings.Cut(printed, "\n\n")
	rounds, _, _ = strings.Cut(rounds, "Stop")
	lines := strings.Split(strings.TrimSuffix(rounds, "\x1b[1m"), "\n")
	want := drawn(append([]string{"$ swarmbus solve --cassette examples/thinkers/retry.cassette"}, lines[:len(lines)-1]...))
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s does not show what the command prints: %v", file, err)
	}
}

var code = regexp.MustCompile("\x1b\\[(\\d*)m([^\x1b]*)")

// drawn returns lines of a terminal as a picture, cut to its width.
func drawn(lines []string) string {
	const width, step = 112, 18
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="ui-monospace,monospace" font-size="13">`+"\n", width*8+24, len(lines)*step+24)
	fmt.Fprintln(&b, `<rect width="100%" height="100%" rx="8" fill="#0d1117"/>`)
	for i, line := range lines {
		left := width
		fmt.Fprintf(&b, `<text x="12" y="%d" fill="#e6edf3" xml:space="preserve">`, (i+1)*step+8)
		for _, part := range code.FindAllStringSubmatch("\x1b[m"+line, -1) {
			text := []rune(part[2])
			if len(text) > left {
				text = append(text[:max(left-1, 0)], '…')
			}
			if left -= utf8.RuneCountInString(part[2]); len(text) > 0 && left > -len(part[2]) {
				fmt.Fprintf(&b, "<tspan %s>%s</tspan>", colours[part[1]], html.EscapeString(string(text)))
			}
		}
		fmt.Fprintln(&b, "</text>")
	}
	return b.String() + "</svg>\n"
}
