package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"
)

func TestPrintableJSONIsTheSameAndObeyedByNoTerminal(t *testing.T) {
	const text = "so \u009b31m \u202e it \u007f is\u2028\u00a0\u200b \U000e0041 \ufffd, \u00e9\u4e16\U0001f600"
	for _, value := range []string{text, "", "plain <&>"} {
		var raw, out bytes.Buffer
		if err := json.NewEncoder(&raw).Encode(value); err != nil {
			t.Fatal(err)
		}
		if n, err := (printable{&out}).Write(raw.Bytes()); err != nil || n != raw.Len() {
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
	if n, err := (printable{brokenPipe{}}).Write([]byte("1")); err == nil || n != 0 {
		t.Errorf("wrote %d, %v", n, err)
	}
}

func TestTheLastErrorHasNothingThatATerminalActsOn(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"message":"bad \u001b[2J\u001b]0;pwn\u0007\u202e\r\u009b31m"}}`))
	}))
	defer server.Close()
	status, _, errs := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--model", "openai:m", "--base-url", server.URL)
	if status != exitError || !strings.Contains(errs, `swarmbus: `) || !strings.Contains(errs, `\x1b[2J`) || strings.ContainsAny(errs, "\x1b\x07\r\u202e\u009b") {
		t.Errorf("status %d: %q", status, errs)
	}
}
