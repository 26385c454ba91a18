package journal_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/journal/journaltest"
)

func verify(t testing.TB, path string) *journal.Summary {
	t.Helper()
	s, err := journal.Verify(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestExportAndImportMakeTheSameJournal(t *testing.T) {
	for _, dropped := range []uint64{0, 20} {
		dir := t.TempDir()
		a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		j := open(t, a, nil)
		records := journaltest.Sample(40)
		records[7].Body = bytes.Repeat([]byte("large"), 2000)
		records[33].Body = records[7].Body
		for _, s := range samples(t) {
			r, err := journal.SignalRecord(s)
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, r)
		}
		if _, err := j.Append(records...); err != nil {
			t.Fatal(err)
		}
		if dropped > 0 {
			if err := j.Drop(dropped, []byte("state")); err != nil {
				t.Fatal(err)
			}
		}
		var lines, again strings.Builder
		if err := journal.Export(t.Context(), &lines, j); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if err := journal.Import(b, strings.NewReader(lines.String())); err != nil {
			t.Fatal(err)
		}
		if err := journal.Export(t.Context(), &again, view(t, b)); err != nil {
			t.Fatal(err)
		}
		wantSealed(t, b)
		if lines.String() != again.String() {
			t.Errorf("got\n%s\nwant\n%s", again.String(), lines.String())
		}
		if got, want := verify(t, b), verify(t, a); got.Chain != want.Chain || got.Last != want.Last || got.First != dropped+1 {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// Text that JSON would change, or could not read again, is exported as bytes.
func TestExportAndImportKeepEveryByte(t *testing.T) {
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	for what, test := range map[string]struct {
		readable bool
		record   journal.Record
	}{
		"a signal":                      {true, journal.Record{Type: journal.TypeSignal, Head: []byte(`{"a":1,"payload":`), Body: []byte(`{}`)}},
		"a signal without its payload":  {false, journal.Record{Type: journal.TypeSignal, Head: []byte(`{"a":1`)}},
		"a payload in a payload":        {false, journal.Record{Type: journal.TypeSignal, Head: []byte(`{"x":{"y":1,"payload":2},"payload":`), Body: []byte(`3`)}},
		"a payload in the body":         {false, journal.Record{Type: journal.TypeSignal, Head: []byte(`{"a":1`), Body: []byte(`,"payload":2`)}},
		"a broken signal":               {false, journal.Record{Type: journal.TypeSignal, Head: []byte(`{"a":`), Body: []byte(`1`)}},
		"an array":                      {false, journal.Record{Type: journal.TypeSignal, Head: []byte(`[{"a":1,"payload":`), Body: []byte(`2`)}},
		"a result":                      {true, journal.Record{Type: journal.TypeResult, Head: []byte(`{}`), Body: []byte("\"\u2028<>&\\ud800\"")}},
		"spaces":                        {false, journal.Record{Type: journal.TypeResult, Head: []byte(`{ }`), Body: []byte(`1 `)}},
		"spaces in a key":               {false, journal.Record{Type: journal.TypeResult, Head: []byte(`{ }`), Body: []byte(`1`)}},
		"spaces in a result":            {false, journal.Record{Type: journal.TypeResult, Head: []byte(`{}`), Body: []byte(`1 `)}},
		"null":                          {true, journal.Record{Type: journal.TypeResult, Head: []byte(`null`), Body: []byte(`null`)}},
		"a null result":                 {true, journal.Record{Type: journal.TypeResult, Head: []byte(`{}`), Body: []byte(`null`)}},
		"no UTF-8":                      {false, journal.Record{Type: journal.TypeResult, Head: []byte(`{}`), Body: []byte("\"\xff\"")}},
		"a result that is deep":         {true, journal.Record{Type: journal.TypeResult, Head: []byte(`{}`), Body: []byte(nested(9999))}},
		"a result that is deeper":       {false, journal.Record{Type: journal.TypeResult, Head: []byte(`{}`), Body: []byte(nested(10000))}},
		"a signal that is deep":         {false, journal.Record{Type: journal.TypeSignal, Head: []byte(`{"a":1,"payload":`), Body: []byte(nested(9999))}},
		"a type that nobody knows":      {false, journal.Record{Type: 99, Head: []byte(`{}`), Body: []byte(`{}`)}},
		"nothing at all, without a key": {false, journal.Record{Type: journal.TypeResult}},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			j := open(t, filepath.Join(dir, "a"), nil)
			defer j.Close()
			if _, err := j.Append(test.record); err != nil {
				t.Fatal(err)
			}
			var lines strings.Builder
			if err := journal.Export(t.Context(), &lines, j); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "b")
			if err := journal.Import(path, strings.NewReader(lines.String())); err != nil {
				t.Fatalf("%v: %.200s", err, lines.String())
			}
			for got, err := range view(t, path).Read(0) {
				if err != nil {
					t.Fatal(err)
				}
				if problem := journaltest.Differ(got, test.record, 1); problem != "" {
					t.Error(problem)
				}
			}
			if readable := strings.Contains(lines.String(), `"signal"`) || strings.Contains(lines.String(), `"call"`); readable != test.readable {
				t.Errorf("readable: %v, %.200s", readable, lines.String())
			}
		})
	}
}

// wantSealed checks that damage to the last record is known as damage.
func wantSealed(t testing.TB, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const seal = 68 // bytes
	content[len(content)-seal-1] ^= 1
	damaged := filepath.Join(t.TempDir(), "damaged")
	if err := os.WriteFile(damaged, content, 0o600); err != nil {
		t.Fatal(err)
	}
	var corrupt *journal.CorruptError
	if s, err := journal.Verify(t.Context(), damaged); !errors.As(err, &corrupt) {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestTheLastLinkOfTheChainCoversTheState(t *testing.T) {
	dir := t.TempDir()
	j := open(t, filepath.Join(dir, "a"), nil)
	_, err := j.Append(journaltest.Sample(9)...)
	if err := errors.Join(err, j.Drop(4, []byte("what was learned"))); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	if err := errors.Join(journal.Export(t.Context(), &lines, j), j.Close()); err != nil {
		t.Fatal(err)
	}
	want := verify(t, j.Path()).Chain
	first, rest, _ := strings.Cut(lines.String(), "\n")
	for what, changed := range map[string]string{
		"state":   strings.Replace(first, base64.StdEncoding.EncodeToString([]byte("what was learned")), base64.StdEncoding.EncodeToString([]byte("what was changed")), 1),
		"chain":   first[:len(`{"through":4,"chain":"`)] + "AAAA" + first[len(`{"through":4,"chain":"AAAA`):],
		"nothing": first,
	} {
		path := filepath.Join(dir, what)
		if err := journal.Import(path, strings.NewReader(changed+"\n"+rest)); err != nil {
			t.Fatal(err)
		}
		if got := verify(t, path).Chain; (got == want) != (what == "nothing") {
			t.Errorf("%s was changed: the chain is %x, was %x", what, got, want)
		}
	}
}

func TestImportNamesTheBadLineAndLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	chain := base64.StdEncoding.EncodeToString(make([]byte, 32))
	const good = `{"seq":1,"type":1,"signal":{"type":"vote","payload":{}}}` + "\n"
	for text, lines := range map[string]string{
		"nothing to import": "\n",
		"line 1":            "{",
		"line 2":            good + `{"seq":3,"type":1}`,
		"line 3":            good + "\n" + `{"seq":2,"type":200}`,
		"not one with a":    `{"seq":1,"type":1,"signal":{"seq":1}}`,
		"[{":                `{"seq":1,"type":1,"signal":[{"a":1,"payload":2}]}`,
		"with its call":     `{"seq":1,"type":2,"result":1}`,
		"unknown field":     `{"seq":1,"type":1,"extra":1}`,
		"more on the line":  `{"seq":1,"type":5}{"seq":2,"type":5}`,
		"more on the":       `{"seq":1,"type":5} trailing`,
		"of 32 bytes":       `{"through":3,"chain":"YQ=="}`,
		"not of 32":         `{"through":3,"chain":"` + strings.Repeat("AAAA", 11) + `"}`,
		"not of":            `{"through":3}`,
		"not the number":    `{"through":18446744073709551615,"chain":"` + chain + `"}`,
		"through 0":         `{"seq":1,"type":5,"chain":"` + chain + `"}`,
		"of a record":       `{"through":3,"seq":4,"chain":"` + chain + `"}`,
		"not on the first":  good + `{"through":1,"chain":"` + chain + `"}`,
		"more than one":     `{"seq":1,"type":1,"signal":{"x":1,"payload":3},"head":"YQ=="}`,
		"more than one of":  `{"seq":1,"type":2,"call":1,"result":2,"body":"YQ=="}`,
		"one of a signal":   `{"seq":1,"type":1,"signal":{"x":1,"payload":3},"call":1,"result":2}`,
		"the years":         `{"seq":1,"type":5,"time":"2300-01-01T00:00:00Z"}`,
	} {
		err := journal.Import(path, strings.NewReader(lines))
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got %v", text, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Fatalf("%s: a file is left", text)
		}
	}
	if err := journal.Import(path, strings.NewReader(good)); err != nil {
		t.Fatal(err)
	}
	if err := journal.Import(path, strings.NewReader(good)); err == nil {
		t.Error("a journal was overwritten")
	}
	if s := verify(t, path); s.Last != 1 {
		t.Errorf("%+v", s)
	}
}
