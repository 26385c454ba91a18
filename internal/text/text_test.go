package text_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/internal/text"
)

// hostile are texts that do harm where nobody escapes them.
var hostile = []string{
	"", " ", "plain", "two\nlines\r\n\tand a tab", "\x00\a\b\x1b[2J\x1b]0;title\a\x7f", "\u009b31m", "a\u202eb\u2066c\u2069", "\u200b\u200d\ufeff\u00ad",
	"\u2028\u2029\u0085\u00a0\u3000", "a\xff\xc3(\xed\xa0\x80b", "\ufffd", "\u115f\u3164\u2800\u034f\u17b4", "\U000e0041\U000e007f", "a\ufe0f\ufe0f\U000e0100", "⚠\ufe0f ❤\ufe0e",
	"[INST] [/SYSTEM] <|im_start|> <script>&amp;</script>", "\U0001d159\ue000\U00010ffff", "é" + strings.Repeat("\u0301", 20), `"\u202e"`,
}

// said draws texts of characters of every kind, and of bytes that are no characters.
func said(t *rapid.T) string {
	part := rapid.OneOf(rapid.String(), rapid.SampledFrom(hostile), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) }))
	return strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "said"), "")
}

// harmless reports what in a line a terminal would act on or not show. It has the categories of
// Unicode in place of the tables that the package goes by.
func harmless(line string) error {
	if !utf8.ValidString(line) {
		return fmt.Errorf("%q is not UTF-8", line)
	}
	var before rune
	for _, r := range line {
		form := (r == 0xfe0e || r == 0xfe0f) && unicode.Is(unicode.So, before)
		switch before = r; {
		case r == ' ' || form:
		case unicode.In(r, unicode.C, unicode.Z):
			return fmt.Errorf("%q has %U, which is of a category that does not print", line, r)
		case !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S):
			return fmt.Errorf("%q has %U, which is not assigned", line, r)
		case unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point), r == 0x2800:
			return fmt.Errorf("%q has %U, which is invisible", line, r)
		}
	}
	return nil
}

func TestWhatATerminalShowsIsHarmless(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, most := said(t), rapid.IntRange(3, 40).Draw(t, "most")
		for _, line := range append(strings.Split(text.Lines(s), "\n"), text.Printable(s), text.Line(s), text.Quote(s, most), text.Cut(text.Line(s), most)) {
			if err := harmless(line); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// The slow twin of Printable looks at a character at a time, as Unicode describes it.
func TestPrintableIsItsSlowTwin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := said(t)
		var twin, before string
		for _, r := range s {
			one := string(r)
			switch {
			case unicode.IsSpace(r):
				twin += " "
			case harmless(one) == nil, harmless(before+one) == nil:
				twin += one
			case r < 0x80:
				twin += strings.Trim(strconv.QuoteToASCII(one), `"`)
			case r > 0xffff:
				twin += fmt.Sprintf(`\U%08x`, r)
			default:
				twin += fmt.Sprintf(`\u%04x`, r)
			}
			before = one
		}
		if got := text.Printable(s); got != twin {
			t.Fatalf("of %q:\ngot  %q\nwant %q", s, got, twin)
		}
		if again := text.Printable(twin); again != twin {
			t.Fatalf("of %q: got %q", twin, again)
		}
	})
}

func TestEscapedJSONSaysTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(map[string][]string{said(t): {said(t)}})
		if err != nil {
			t.Fatal(err)
		}
		for name, escaped := range map[string][]byte{"JSON": text.JSON(raw), "PromptJSON": text.PromptJSON(raw)} {
			var want, got map[string][]string
			if err := harmless(string(escaped)); err != nil || strings.ContainsRune(string(escaped), '\ufffd') {
				t.Fatalf("%s: got %q: %v", name, escaped, err)
			}
			_, _ = json.Unmarshal(raw, &want), json.Unmarshal(escaped, &got)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s of %s: got %s", name, raw, escaped)
			}
		}
	})
}

// checkPrompt reports what is wrong with a text of so many bytes in a prompt.
func checkPrompt(s string, most int) error {
	quoted, valid := text.Prompt(s, most), strings.ToValidUTF8(s, "\ufffd")
	var back string
	switch err := json.Unmarshal([]byte(quoted), &back); {
	case err != nil:
		return fmt.Errorf("%s: %w", quoted, err)
	case len(quoted) > 2*most+64:
		return fmt.Errorf("%s has %d bytes", quoted, len(quoted))
	case strings.ContainsAny(quoted, "<>&\ufffd"):
		return fmt.Errorf("%s has markup", quoted)
	case harmless(quoted) != nil:
		return harmless(quoted)
	case back == valid:
		return nil
	}
	at := max(0, strings.LastIndex(back, "… ("))
	if !strings.HasPrefix(valid, back[:at]) || back[at:] != fmt.Sprintf("… (%d bytes more)", len(valid)-at) {
		return fmt.Errorf("of %q: got %q", valid, back)
	}
	return nil
}

func TestPromptSaysTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		if err := checkPrompt(said(t), rapid.IntRange(3, 60).Draw(t, "most")); err != nil {
			t.Fatal(err)
		}
	})
}

func TestPromptHasNoMarkup(t *testing.T) {
	t.Parallel()
	const want = `"\u005bINST] \u005b/INST] [A\u005bSYSTEM_PROMPT]] \u003c|im_start|\u003e \u003c/s\u003e [x] [1]"`
	if got := text.Prompt("[INST] [/INST] [A[SYSTEM_PROMPT]] <|im_start|> </s> [x] [1]", 100); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The slow twins try every length, the longest first.
func TestCutTextIsTheLongestThatFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, most := said(t), rapid.IntRange(3, 60).Draw(t, "most")
		runes := []rune(strings.ToValidUTF8(s, "\ufffd"))
		longest := func(mark func(n int) string, fits func(head, all string) bool) string {
			for n := len(runes); n >= 0; n-- {
				head := string(runes[:n])
				if all := head + mark(n); fits(head, all) {
					return all
				}
			}
			panic("not even none")
		}
		ellipsis := func(n int) string { return "…"[:3*min(1, len(runes)-n)] }
		more := func(n int) string {
			if n == len(runes) {
				return ""
			}
			return fmt.Sprintf("… (%d bytes more)", len(string(runes[n:])))
		}
		for _, c := range []struct{ name, got, want string }{
			{"Cut", text.Cut(s, most), longest(ellipsis, func(head, _ string) bool { return len(head) <= most })},
			{"Fit", text.Fit(s, most), longest(ellipsis, func(_, all string) bool { return len(all) <= most })},
			{"FitRunes", text.FitRunes(s, most), longest(ellipsis, func(_, all string) bool { return utf8.RuneCountInString(all) <= most })},
			{"Shorten", text.Shorten(s, most), longest(more, func(head, _ string) bool { return len(head) <= most })},
			{"Head", text.Head(string(runes), most), longest(func(int) string { return "" }, func(head, _ string) bool { return len(head) <= most })},
		} {
			if c.got != c.want {
				t.Fatalf("%s(%q, %d): got %q, want %q", c.name, s, most, c.got, c.want)
			}
		}
		if got := text.Head(s, most); len(got) > most || !strings.HasPrefix(s, got) || got == "" && s != "" && most >= utf8.UTFMax {
			t.Fatalf("Head(%q, %d): got %q", s, most, got)
		}
		if got := text.ShortenTo(s, 40+most); len(got) > 40+most || len(string(runes)) <= 40+most && got != string(runes) {
			t.Fatalf("ShortenTo(%q, %d): got %q", s, 40+most, got)
		}
		if got := text.Shorten(s, most); len(got) > most+text.MoreBytes {
			t.Fatalf("%q has %d bytes", got, len(got))
		}
	})
}

func TestBlank(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{"": true, " \n\t": true, "\u200b\u2800\u3164\ufe0f\xff": true, "\x1b\u202e": true, " a": false, "。": false, "\u202e1": false} {
		if got := text.Blank(s); got != want {
			t.Errorf("%q: got %t", s, got)
		}
	}
}

func TestPlural(t *testing.T) {
	t.Parallel()
	for n, want := range []string{"0 votes", "1 vote", "2 votes"} {
		if got := text.Plural(n, "vote"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, s string, most int) {
		most = 3 + most&0xff
		for _, line := range []string{text.Printable(s), text.Line(s), text.Quote(s, most)} {
			if err := harmless(line); err != nil {
				t.Error(err)
			}
		}
		if err := checkPrompt(s, most); err != nil {
			t.Error(err)
		}
		if cut := text.Cut(s, most); len(cut) > most+len("…") || !utf8.ValidString(cut) {
			t.Errorf("%q has %d bytes, more than %d", cut, len(cut), most)
		}
		if short := text.Shorten(s, most); len(short) > most+text.MoreBytes || !utf8.ValidString(short) {
			t.Errorf("%q has %d bytes, more than %d", short, len(short), most+text.MoreBytes)
		}
	})
}
