package items_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/internal/items"
)

func Example() {
	text := []byte(`[{"score": 1}, {"score": NaN}] and more`)
	end, err := items.Each(text, 0, func(at int, element []byte) error {
		fmt.Printf("%d %s %v\n", at, element, json.Valid(element))
		return nil
	})
	fmt.Printf("%q %v\n", text[end:], err)
	// Output:
	// 1 {"score": 1} true
	// 15 {"score": NaN} false
	// " and more" <nil>
}

// divide returns the elements of an array, what is behind it, and what is wrong.
func divide(text string) (all []string, rest, wrong string) {
	end, err := items.Each([]byte(text), 0, func(at int, element []byte) error {
		if text[at:at+len(element)] != string(element) {
			return fmt.Errorf("it is not at %d", at)
		}
		all = append(all, string(element))
		return nil
	})
	if err != nil {
		return all, text[end:], err.Error()
	}
	return all, text[end:], ""
}

func TestArraysAreDividedForAnyElements(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		all         []string
		rest, wrong string
	}{
		"[]":                       {},
		"[ \n]x":                   {rest: "x"},
		"[1]":                      {all: []string{"1"}},
		"[1 , [2,3],\n{\"a\":{}}]": {all: []string{"1", "[2,3]", `{"a":{}}`}},
		`["],\"","\\"]`:            {all: []string{`"],\""`, `"\\"`}},
		"[1,,NaN,x y]":             {all: []string{"1", "", "NaN", "x y"}},
		"[1,]":                     {all: []string{"1", ""}},
		"[1":                       {all: []string{"1"}, wrong: "the array does not end"},
		"[1,":                      {all: []string{"1"}, wrong: "the array does not end"},
		"[":                        {wrong: "the array does not end"},
		"[1,[2":                    {all: []string{"1"}, rest: "[2", wrong: "the array does not end"},
		"[1,{]}]":                  {all: []string{"1"}, rest: "{]}]", wrong: "']' closes what is not open"},
		"[1,}]":                    {all: []string{"1"}, rest: "}]", wrong: "'}' closes what is not open"},
		"[1,\"a\n\"]":              {all: []string{"1"}, rest: "\"a\n\"]", wrong: "a string that does not end in its line"},
		`["\`:                      {rest: `"\`, wrong: "a string that does not end in its line"},
	} {
		all, rest, wrong := divide(text)
		if !slices.Equal(all, want.all) || rest != want.rest || wrong != want.wrong {
			t.Errorf("%s: got %q, %q, %q", text, all, rest, wrong)
		}
	}
}

func FuzzEachDividesWhatIsJSONAsJSONDoes(f *testing.F) {
	for _, text := range []string{`[1,"a",{"b":[]}]`, `["],\"",null]`, "[}", `["`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if text == "" || text[0] != '[' {
			return
		}
		all, rest, wrong := divide(text)
		var want []json.RawMessage
		if json.Unmarshal([]byte(text), &want) != nil {
			return
		}
		if wrong != "" || len(all) != len(want) || text[len(text)-len(rest):] != rest {
			t.Fatalf("got %q, %q, want %q", all, wrong, want)
		}
		for i := range all {
			if all[i] != string(want[i]) {
				t.Errorf("got %q, want %q", all[i], want[i])
			}
		}
	})
}
