package wire_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

// values are texts of JSON, with blanks, escapes and names that are there twice.
func values() *rapid.Generator[string] {
	scalar := rapid.SampledFrom([]string{`null`, `true`, `-1.5e3`, `0`, `""`, `"a\\"b"`, `"]},"`, `"\\\\"`, `"é"`, `"\\ud83d\\ude00"`, `"\\u0000"`, "\"\xff\""})
	blank := rapid.SampledFrom([]string{"", " ", "\t\n", "\r\n  "})
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			kind := 0
			if depth > 0 {
				kind = rapid.IntRange(0, 2).Draw(t, "kind")
			}
			if kind == 0 {
				return scalar.Draw(t, "scalar")
			}
			open, end := "[", "]"
			if kind == 2 {
				open, end = "{", "}"
			}
			text := open + blank.Draw(t, "blank")
			for i := range rapid.IntRange(0, 4).Draw(t, "members") {
				if i > 0 {
					text += "," + blank.Draw(t, "blank")
				}
				if kind == 2 {
					text += rapid.SampledFrom([]string{`"a"`, `"b"`, `""`, `"\\u0061"`, `"é"`, `"x\\"y"`}).Draw(t, "name") + blank.Draw(t, "blank") + ":" + blank.Draw(t, "blank")
				}
				text += value(depth-1).Draw(t, "value") + blank.Draw(t, "blank")
			}
			return text + end
		})
	}
	return value(4)
}

// TestObjectsAreThoseOfTheirSlowTwin compares with package json, of which the texts of values are kept.
func TestObjectsAreThoseOfTheirSlowTwin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(values().Draw(t, "text"))
		if rapid.IntRange(0, 3).Draw(t, "broken") == 0 && len(text) > 0 {
			text = text[:rapid.IntRange(0, len(text)-1).Draw(t, "cut")]
		}
		var want wire.Object
		if err := json.Unmarshal(text, &want); err != nil {
			want = nil
		}
		got := wire.ObjectOf(text)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q: %s", text, diff)
		}
		for name, value := range want {
			var list []json.RawMessage
			if value[0] == '{' {
				list = []json.RawMessage{value}
			} else if json.Unmarshal(value, &list) != nil {
				list = nil
			}
			if diff := cmp.Diff(list, got.List(name)); diff != "" {
				t.Fatalf("the list %q in %q: %s", name, text, diff)
			}
			var inner wire.Object
			if json.Unmarshal(value, &inner) != nil {
				inner = nil
			}
			if diff := cmp.Diff(inner, got.Object(name)); diff != "" {
				t.Fatalf("the object %q in %q: %s", name, text, diff)
			}
		}
	})
}

func TestMembersOfAnObjectAreNotTheNextOnes(t *testing.T) {
	t.Parallel()
	o := wire.ObjectOf([]byte(`{"a":[1],"b":2}`))
	_ = append(o["a"], "xxx"...)
	if got := string(o["b"]); got != "2" || !bytes.Equal(o["a"], []byte("[1]")) {
		t.Errorf("got %s", got)
	}
}
