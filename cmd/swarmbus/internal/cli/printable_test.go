package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

func TestPrintableJSONIsTheSameAndObeyedByNoTerminal(t *testing.T) {
	const text = "so \u009b31m \u202e it \u007f is\u2028\u00a0\u200b \U000e0041 \ufffd, \u00e9\u4e16\U0001f600"
	for _, value := range []string{text, "", "plain <&>"} {
		var raw, out bytes.Buffer
		if err := json.NewEncoder(&raw).Encode(value); err != nil {
			t.Fatal(err)
		}
		if n, err := cli.Printable(&out).Write(raw.Bytes()); err != nil || n != raw.Len() {
			t.Errorf("%d of %d bytes, %v", n, raw.Len(), err)
		}
		var back string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != value {
			t.Errorf("got %q, %v, want %q", back, err, value)
		}
		line, end := strings.CutSuffix(out.String(), "\n")
		if !end || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
			t.Errorf("got %q", out.String())
		}
		for _, plain := range []string{"é", "世", "😀"} {
			if strings.Contains(value, plain) && !strings.Contains(line, plain) {
				t.Errorf("%s is escaped: %s", plain, line)
			}
		}
	}
	if n, err := cli.Printable(broken{}).Write([]byte("1")); err == nil || n != 0 {
		t.Errorf("wrote %d, %v", n, err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
