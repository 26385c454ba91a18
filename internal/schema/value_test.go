package schema_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/internal/schema"
)

// values draws JSON values as encoding/json decodes them.
func values() *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Just[any](nil),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.IntRange(-1<<53, 1<<53), func(n int) any { return float64(n) }),
		rapid.Map(rapid.Float64(), func(f float64) any { return f }),
	)
	return rapid.Custom(func(t *rapid.T) any { return grow(t, leaf, 3) })
}

func grow(t *rapid.T, leaf *rapid.Generator[any], depth int) any {
	switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
	case depth > 0 && kind == 0:
		all := map[string]any{}
		for _, name := range rapid.SliceOfN(rapid.String(), 0, 4).Draw(t, "names") {
			all[name] = grow(t, leaf, depth-1)
		}
		return all
	case depth > 0 && kind == 1:
		var all []any
		for range rapid.IntRange(0, 4).Draw(t, "length") {
			all = append(all, grow(t, leaf, depth-1))
		}
		return append([]any{}, all...)
	default:
		return leaf.Draw(t, "leaf")
	}
}

// write writes a value as somebody else would: members in any order, white space, escapes, and numbers in
// other forms.
func write(v any, r *rand.Rand) string {
	space := func() string { return []string{"", " ", "\n\t"}[r.IntN(3)] }
	switch v := v.(type) {
	case map[string]any:
		var members []string
		for name, of := range v { // in any order
			members = append(members, space()+write(name, r)+space()+":"+space()+write(of, r))
		}
		return "{" + strings.Join(members, space()+",") + space() + "}"
	case []any:
		var all []string
		for _, of := range v {
			all = append(all, space()+write(of, r)+space())
		}
		return "[" + strings.Join(all, ",") + "]"
	case string:
		var b strings.Builder
		for _, c := range v {
			switch {
			case c >= 0x10000 && r.IntN(2) == 0:
				fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+(c-0x10000)>>10, 0xdc00+(c-0x10000)&0x3ff)
			case c < 0x20 || c == '"' || c == '\\' || c < 0x10000 && r.IntN(2) == 0:
				fmt.Fprintf(&b, `\u%04x`, c)
			default:
				b.WriteRune(c)
			}
		}
		return `"` + b.String() + `"`
	case float64:
		return strconv.FormatFloat(v, "geE"[r.IntN(3)], -1, 64)
	default:
		b, _ := json.Marshal(v)
		return string(b)
	}
}

func TestOneValueIsOneTextHoweverItIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values().Draw(t, "value")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		first, second := write(v, r), write(v, r)
		one, err := schema.Canonical(first)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if other, err := schema.Canonical(second); other != one || err != nil {
			t.Errorf("%s is %s, and %s is %s: %v", first, one, second, other, err)
		}
		if again, err := schema.Canonical(one); again != one || err != nil {
			t.Errorf("%s again is %s: %v", one, again, err)
		}
	})
}

func TestWhatIsOneValue(t *testing.T) {
	same := [][]string{
		{`1`, `1.0`, `1e0`, `10E-1`, ` 1 `},
		{`0`, `-0`, `0.0`},
		{`{"a":1,"b":[true,null]}`, `{ "b": [true, null], "a": 1.00 }`},
		{`"é"`, `"\u00e9"`, `"\u00E9"`},
		{`"/"`, `"\/"`},
		{`"😀"`, `"\ud83d\ude00"`},
		{`9007199254740992`, `9007199254740992.0`},
		{`1e300`, `10E299`},
		{`"Ann"`},
		{`"ann"`},
		{`-1`},
		{`"1"`},
		{`[]`},
		{`{}`},
		{`null`},
	}
	seen := map[string]string{}
	for _, all := range same {
		first, err := schema.Canonical(all[0])
		if other := seen[first]; other != "" || err != nil {
			t.Errorf("%s is %s: %v", all[0], other, err)
		}
		seen[first] = all[0]
		for _, text := range all[1:] {
			if got, err := schema.Canonical(text); got != first || err != nil {
				t.Errorf("%s is %s, want %s: %v", text, got, first, err)
			}
		}
	}
}

func TestWhatHasNoCanonicalFormIsRefused(t *testing.T) {
	for _, text := range []string{
		``, `{`, `{"a":1} x`, `{"a":1,"a":2}`, `{"a":1,"\u0061":1}`, `"\ud83d"`, `NaN`, `01`, "\"a\nb\"",
		`9007199254740993`, `[-9007199254740993]`, `1e400`, `1e999999999`, strings.Repeat("9", 500), `{"n":123456789012345678901}`,
	} {
		if got, err := schema.Canonical(text); err == nil {
			t.Errorf("%.40s is %.40s", text, got)
		}
	}
}

func TestAValueConformsOrSaysWhatDoesNot(t *testing.T) {
	type incident struct {
		Severity int    `json:"severity"`
		Owner    string `json:"owner"`
	}
	of, err := schema.For[incident]()
	if err != nil {
		t.Fatal(err)
	}
	v, err := schema.New(of)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.Value(`{"severity":2.0,"owner":"Ann"}`); got != `{"owner":"Ann","severity":2}` || err != nil {
		t.Errorf("got %s: %v", got, err)
	}
	for text, want := range map[string]string{
		`{"severity":2}`:                        "owner",
		`{"severity":"2","owner":"a"}`:          "severity",
		`{"severity":2.5,"owner":"a"}`:          "severity",
		`{"severity":2,"owner":"a","more":1}`:   "more",
		`the owner is Ann`:                      "",
		`{"severity":2,"owner":"a","owner":""}`: "uplicate",
	} {
		if got, err := v.Value(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %q, %v", text, got, err)
		}
	}
}
