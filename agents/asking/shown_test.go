package asking_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents/asking"
)

func TestArgumentsAreShownAsTheyAreSent(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{}`:                                `{}`,
		`{ "n" : 90071992547409931 }`:       `{"n":90071992547409931}`,
		`[1e400,-0,1.10]`:                   `[1e400,-0,1.10]`,
		`{"a":"<&>","b":"\u0072\u006d"}`:    `{"a":"<&>","b":"rm"}`,
		`{"a":"x` + "\u202e" + `y\u200bz"}`: `{"a":"x\u202ey\u200bz"}`,
		`{"text":"one\ntwo\\n\n"}`:          `{"text":"one\ntwo\\n\n"}`,
		`{"path":"docs/a.md","text":"` + strings.Repeat("a", 60) + `\n  b\n","n":[1,{"x":[]}]}`: strings.Join([]string{
			`{`, `  "path": "docs/a.md",`, `  "text": "` + strings.Repeat("a", 60) + `\n`, `  |   b\n",`, `  "n": [`, `    1,`, `    {`, `      "x": []`, `    }`, `  ]`, `}`,
		}, "\n"),
	} {
		got, err := asking.Show(args)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", args, err, diff)
		}
	}
}

func TestArgumentsThatHaveNoOneMeaningAreRefused(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{"text":"/prod","text":"/tmp"}`:   `the member "text" is there twice`,
		`[{"a":1,"b":{"x":1,"\u0078":2}}]`: `the member "x" is there twice`,
		"{\"a\":\"\xff\"}":                 "not UTF-8",
		`{"a":"\ud800"}`:                   "surrogate",
		`{"a":"\udc00\ud800"}`:             "surrogate",
		`{"a":"\ud800\u0041"}`:             "surrogate",
		`{"\ud83d":1}`:                     "surrogate",
		`{"a":NaN}`:                        "not JSON",
		`{"a":1} {"a":2}`:                  "not JSON",
		``:                                 "not JSON",
		strings.Repeat("[", 101) + strings.Repeat("]", 101): "nested deeper than 100",
	} {
		if got, err := asking.Show(args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %q (%v), want %q", args, got, err, want)
		}
	}
}

// arbitrary draws JSON, some of it with members that are there twice, halves of pairs, or bytes
// that are no text.
func arbitrary(t *rapid.T, deep int) string {
	space := rapid.SampledFrom([]string{"", "", " ", "\n\t"}).Draw(t, "space")
	str := func() string {
		part := rapid.SampledFrom([]string{
			"a", "/prod", `\n`, `\\`, `\"`, `\u0061`, `\ud83d\ude00`, "😀", "\u202e", "\u200b", "\U000e0041", `\u0000`, `\u2028`, "\u2028", "| ", `\/`, `\t`, "é", "  ", `\ud800`, "\xff", "\u007f", "\u009b",
		})
		return `"` + strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "text"), "") + `"`
	}
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if deep > 4 {
		kind %= 3
	}
	switch kind {
	case 0:
		return space + rapid.SampledFrom([]string{"0", "-0", "1e400", "1E-400", "90071992547409931", "0.10", "true", "false", "null", strings.Repeat("9", 400)}).Draw(t, "token") + space
	case 1, 2:
		return space + str() + space
	case 3, 4:
		var all []string
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			all = append(all, arbitrary(t, deep+1))
		}
		return "[" + space + strings.Join(all, ",") + "]"
	}
	var all []string
	for range rapid.IntRange(0, 4).Draw(t, "n") {
		all = append(all, space+str()+space+":"+arbitrary(t, deep+1))
	}
	return "{" + space + strings.Join(all, ",") + "}"
}

// unlined takes what Show adds out of what it shows.
func unlined(shown string) string {
	var b strings.Builder
	inside := false
	for i := 0; i < len(shown); i++ {
		switch c := shown[i]; {
		case inside && c == '\n':
			i += strings.Index(shown[i:], "| ") + 1
		case inside && c == '\\':
			b.WriteString(shown[i : i+2])
			i++
		case !inside && (c == ' ' || c == '\n'):
		default:
			inside = inside != (c == '"')
			b.WriteByte(c)
		}
	}
	return b.String()
}

// tokens are those of JSON; numbers are as they are written.
func tokens(s string) (all []string, err error) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, fmt.Sprintf("%T %v", token, token))
	}
}

// The slow twin of what is refused.
func isClear(s string) bool {
	if !utf8.ValidString(s) || !json.Valid([]byte(s)) {
		return false
	}
	halves := strings.Contains(strings.NewReplacer(`\\`, "", `\ud83d\ude00`, "").Replace(s), `\ud800`)
	return !halves && !twice(json.NewDecoder(strings.NewReader(s)))
}

func twice(d *json.Decoder) bool {
	d.UseNumber()
	type level struct {
		object bool
		names  []string
		value  bool // a value is next
	}
	var open []level
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		end := token == json.Delim('}') || token == json.Delim(']')
		if end {
			open = open[:len(open)-1]
		} else if n := len(open); n > 0 && open[n-1].object && !open[n-1].value {
			if slices.Contains(open[n-1].names, token.(string)) {
				return true
			}
			open[n-1].names, open[n-1].value = append(open[n-1].names, token.(string)), true
			continue
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			open = append(open, level{object: token == json.Delim('{')})
			continue
		}
		if n := len(open); n > 0 {
			open[n-1].value = false
		}
	}
}

func TestWhatIsShownIsWhatIsSentOrItIsRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		args := arbitrary(t, 0)
		shown, err := asking.Show(args)
		if ok := isClear(args); ok != (err == nil) {
			t.Fatalf("%q: %v, want refused: %v", args, err, !ok)
		}
		if err != nil {
			return
		}
		want, err := tokens(args)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tokens(unlined(shown))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("%s\nis shown as\n%s\n%v %s", args, shown, err, diff)
		}
		for _, r := range shown {
			if strings.ContainsRune("\u202e\u200b\U000e0041\x00\u2028\x7f\u009b\t", r) {
				t.Fatalf("%q shows %q", shown, r)
			}
		}
	})
}

func TestAMegabyteIsShownWhole(t *testing.T) {
	t.Parallel()
	args := `{"a":"` + strings.Repeat(`line\n`, 100_000) + `","b":[` + strings.Repeat("12345678,", 60_000) + `1]}`
	shown, err := asking.Show(args)
	if err != nil || unlined(shown) != args {
		t.Errorf("%d bytes are shown as %d (%v)", len(args), len(unlined(shown)), err)
	}
}
