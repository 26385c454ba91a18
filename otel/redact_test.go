package otel_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/signals"
)

func TestRedactFindsTheFormsItNamesAndKeepsTheTextAroundThem(t *testing.T) {
	for text, want := range map[string]string{
		`"password":"hunter2"`:                    `"password":"[redacted]"`,
		`{"api_key": "a b\"c"}`:                   `{"api_key": "[redacted]"}`,
		`{\"api_key\": \"a b\\\"c\"}`:             `{\"api_key\": \"[redacted]\"}`,
		`{"api_key": ["a]b", "c"], "n": 1}`:       `{"api_key": [redacted], "n": 1}`,
		`{"secret": {"a": [1, "}\""]}, "n": {}}`:  `{"secret": [redacted], "n": {}}`,
		`{\"secret\": [\"a\", \"]\"], \"n\": []}`: `{\"secret\": [redacted], \"n\": []}`,
		`{'token': ['a]`:                          `{'token': [redacted]`,
		`password="hunter two"`:                   `password="[redacted]"`,
		`password="hunter two`:                    `password="[redacted]`,
		`{'secret': 'it\'s'}`:                     `{'secret': '[redacted]'}`,
		`api_key=12345`:                           `api_key=[redacted]`,
		`AWS_SECRET_ACCESS_KEY := abc`:            `AWS_SECRET_ACCESS_KEY := [redacted]`,
		`?token=abc&page=2`:                       `?token=[redacted]&page=2`,
		`"Bearer abc.def"`:                        `"Bearer [redacted]"`,
		`Authorization: Basic bWU6cHc`:            `Authorization: Basic [redacted]`,
		`password=token=abc`:                      `password=[redacted]`,
		`sk-abcdefghijklmnop`:                     `[redacted]`,
		`ghp_0123456789abcdefghij`:                `[redacted]`,
		`postgres://me:p@ss@host/x`:               `postgres[redacted]host/x`,
		`-----BEGIN PRIVATE KEY-----` + "\nx\ny":  `[redacted]`,
		`9f86d081884c7d659a2feaa0c55ad015a3bf4f`:  `[redacted]`,
		`someone@example.com`:                     `[redacted]`,
		`secret: [a`:                              `secret: [redacted]`,
		`?token=&page=2`:                          `?token=&page=2`,

		`"401\nBearer abc"`:                          `"401\nBearer [redacted]"`,
		`"keys:\nsk-abcdefghijklmnop"`:               `"keys:[redacted]"`,
		`"a\tghp_0123456789abcdefghij"`:              `"a[redacted]"`,
		`{\"password\":\n\t\"hunter2\"}`:             `{\"password\":\n\t\"[redacted]\"}`,
		`{\\\"token\\\": \\n \\\"abc\\\"}`:           `{\\\"token\\\": \\n \\\"[redacted]\\\"}`,
		`smtp://bob@corp.com:abc!@mail.corp.com:587`: `smtp[redacted]mail.corp.com:587`,
		`postgres://app:ab/c@db/x`:                   `postgres[redacted]db/x`,
		`"https:\/\/me:abc@host\/x"`:                 `"https[redacted]host\/x"`,
		`-----BEGIN X25519 PRIVATE KEY-----` + "\nx": `[redacted]`,
		`Bearer: abc`:                                `Bearer: [redacted]`,
		`**Password:** abc`:                          `**Password:** [redacted]`,
		"`password`: abc":                            "`password`: [redacted]",

		`a@example.com and ` + strings.Repeat("1", 32) + ` or ` + strings.Repeat("2", 32) + `, password=abc`: `[redacted] and [redacted] or [redacted], password=[redacted]`,

		`my password is hunter2`:                                `my password is [redacted]`,
		`the Password was: hunter2`:                             `the Password was: [redacted]`,
		`the api key: abc`:                                      `the api key: [redacted]`,
		`the api key is "a b"`:                                  `the api key is "[redacted]"`,
		`our secret key = abc`:                                  `our secret key = [redacted]`,
		`the signing-key is abc`:                                `the signing-key is [redacted]`,
		`token is Bearer abc`:                                   `token is Bearer [redacted]`,
		strings.Repeat("a", 20) + "1" + strings.Repeat("b", 20): `[redacted]`,
		strings.Repeat("a", 31) + "1":                           `[redacted]`,
		"1" + strings.Repeat("a", 31):                           `[redacted]`,
		strings.Repeat("a", 40):                                 strings.Repeat("a", 40),
		strings.Repeat("a1", 15) + "a":                          strings.Repeat("a1", 15) + "a",
		`postgres://me:pass…`:                                   `[redacted]`,
		`"https://x.example/?a=1…"`:                             `"[redacted]"`,
		`sk-abc…`:                                               `[redacted]`,
		`someone@exa…`:                                          `[redacted]`,
		`abcdefghijklmnop…`:                                     `[redacted]`,
		`a password=hunt…`:                                      `a password=[redacted]`,
		`hm… well…`:                                             `hm… well…`,
		`a passwordless island is tokenish`:                     `a passwordless island is tokenish`,
	} {
		if got := otel.Redact("", "", text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
		if got := otel.Redact("", "", "before "+text+" after"); got != "before "+want+" after" && got != "before "+want {
			t.Errorf("%s in a text: got %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{`password=`: `password=`, `password=\`: `password=[redacted]`} {
		if got := otel.Redact("", "", text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	for path, secret := range map[string]bool{"password": true, "headers.x-api-key": true, "cookie.value": true, "content": false, "usage.tokens": false} {
		if got := otel.Redact("", path, "ok"); (got != "ok") != secret {
			t.Errorf("%s: got %q, secret by its name %v", path, got, secret)
		}
	}
	const plain = `{"finding":"retries have no jitter: 3 of 17 calls in bus/publish.go:41","relevance":1}`
	if got := otel.Redact("", "finding", plain); got != plain {
		t.Errorf("got %q, want it as it was", got)
	}
}

// A form is a way to write a secret down.
type form struct {
	name     string
	write    func(secret string) string
	alphabet string
}

const (
	letters = "abcdefghijkmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	word    = letters + "23456789-._~+/!$%^*()"
	phrase  = word + " ,;:='\"\\{}[]&\t\n@"
)

// forms are those that Redact names.
var forms = []form{
	{"JSON", func(s string) string { return `{"api_key": ` + quoted(s) + `, "n": 1}` }, phrase},
	{"JSON in JSON", func(s string) string { return quoted(`{"db": {"password":` + quoted(s) + `}}`) }, phrase},
	{"list", func(s string) string { return `{"api_key": [1, ` + quoted(s) + `], "n": 1}` }, phrase},
	{"object in JSON", func(s string) string { return quoted(`{"credentials": {"a": {}, "b": [` + quoted(s) + `]}}`) }, phrase},
	{"assignment", func(s string) string { return "password=" + s }, word},
	{"quoted assignment", func(s string) string { return "CLIENT_SECRET = " + quoted(s) }, phrase},
	{"YAML", func(s string) string { return "access-key: " + s }, word},
	{"header", func(s string) string { return "Authorization: Bearer " + s }, word},
	{"bearer", func(s string) string { return "curl -H 'Bearer " + s + "'" }, word},
	{"query", func(s string) string { return "https://x.example/?token=" + s + "&y=1" }, word},
	{"address", func(s string) string { return "postgres://me:" + s + "@db.example/x" }, letters + "23456789-._~"},
	{"service", func(s string) string { return "sk-" + s }, letters + "23456789"},
	{"prose", func(s string) string { return "my password is " + s }, word},
	{"quoted prose", func(s string) string { return "the api key was " + quoted(s) }, phrase},
	{"cut URL", func(s string) string { return "postgres://me:" + s + "…" }, letters + "23456789-._~"},
	{"cut key", func(s string) string { return "sk-" + s + "…" }, letters},
	{"token", func(s string) string { return "abcdefghijklmno" + s + "3x" }, letters},
	{"PEM", func(s string) string {
		return "-----BEGIN RSA PRIVATE KEY-----\n" + s + "\n-----END RSA PRIVATE KEY-----"
	}, letters + "\n+/="},
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// FuzzRedact plants a secret in a signal: in any form, before and after other
// text, quoted again and again, in any field, and looks for it in what is
// recorded.
func FuzzRedact(f *testing.F) {
	for i := range forms {
		f.Add(i, 0, i, uint64(i), "before", "after")
		f.Add(i, 3, i+1, uint64(i)+99, `password="`, `"}`)
	}
	f.Add(2, 1, 0, uint64(7), "token: \\", "\\\"")
	f.Fuzz(func(t *testing.T, form, depth, place int, seed uint64, before, after string) {
		form, depth, place = abs(form)%len(forms), abs(depth)%4, abs(place)%4
		secret := draw(forms[form].alphabet, seed)
		if json.Valid([]byte(quoted(before))) && (strings.Contains(before, secret) || strings.Contains(after, secret)) {
			t.Skip("said in the open, too")
		}
		text := before + " " + forms[form].write(secret) + " " + after
		for range depth {
			text = `{"content": ` + quoted(text) + `}`
		}
		if got := recorded(t, place, text); strings.Contains(got, secret) || strings.Contains(unquoted(got), secret) {
			t.Errorf("%s, quoted %d times, in place %d: %q is in %s", forms[form].name, depth, place, secret, got)
		}
	})
}

func abs(n int) int { return max(n, -(n + 1)) }

// draw returns 16 characters that are no word of any text.
func draw(alphabet string, seed uint64) string {
	all := []rune(alphabet)
	s := []rune("q")
	for range 14 {
		seed = seed*6364136223846793005 + 1442695040888963407
		s = append(s, all[(seed>>33)%uint64(len(all))])
	}
	return string(append(s, 'Z'))
}

// unquoted undoes JSON's escapes, as a reader of the page would.
func unquoted(text string) string {
	for range 6 {
		text = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(text)
	}
	return text
}

// recorded publishes the text in a field of a signal and returns the spans.
func recorded(t *testing.T, place int, text string) string {
	r := newTrace(t, otel.Options{Content: otel.Redact})
	b := made(bus.New(nil))
	defer b.Close()
	stop, err := r.Watch(b)
	if err != nil {
		t.Fatal(err)
	}
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	s := []func() signals.Any{
		func() signals.Any {
			return signals.New(signals.Header{}, signals.Proposal{ProposalID: "a", Content: text})
		},
		func() signals.Any {
			return signals.New(signals.Header{}, signals.Discovery{Finding: "x", Evidence: text})
		},
		func() signals.Any {
			return signals.New(signals.Header{}, nested{Args: map[string]any{"list": []any{1, text}}})
		},
		func() signals.Any { return signals.New(signals.Header{}, nested{Args: map[string]any{text: "x"}}) },
	}[place]()
	publish(t, b, "a", s)
	stop()
	return fmt.Sprint(r.spans(t))
}

// A nested payload has texts at any depth.
type nested struct {
	Args any `json:"args"`
}

func (nested) Kind() signals.Kind { return "acme.example/nested" }
