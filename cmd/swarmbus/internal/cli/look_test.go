package cli_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

func TestColourIsForThoseWhoHaveIt(t *testing.T) {
	for name, c := range map[string]struct {
		env  []string
		want bool
	}{
		"no terminal": {[]string{"TERM=xterm-256color"}, false},
		"forced":      {[]string{"TERM=xterm-256color", "CLICOLOR_FORCE=1"}, true},
		"dumb":        {[]string{"TERM=dumb"}, false},
	} {
		if o := cli.LookOf(new(bytes.Buffer), c.env, 0); o.Color != c.want || o.Width >= 0 {
			t.Errorf("%s: got %+v, want colour %v", name, o, c.want)
		}
	}
}

func TestLinesOfAFileHaveNoLimit(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if o := cli.LookOf(f, nil, 0); o.Width >= 0 || o.Color {
		t.Errorf("got %+v, want no width and no colour", o)
	}
}
