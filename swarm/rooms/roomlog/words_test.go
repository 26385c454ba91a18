package roomlog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

var members = []string{"Reed", "Veda", "rune.2"}

func TestPriorityIsInferredFromWholeWords(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]struct {
		p   schedule.Priority
		why string
	}{
		"This is URGENT.":      {schedule.Urgent, `inferred: "urgent"`},
		"We are blocked, stop": {schedule.Urgent, `inferred: "blocked"`},
		"critical: disk full":  {schedule.Urgent, `inferred: "critical"`},
		"Stop!":                {schedule.Urgent, `inferred: "stop"`},
		"It stopped, nonstop, unblocked, urgently.": {},
		"stop_words and urgent2":                    {},
		"She said \"urgent\" again":                 {},
		"> blocked on review\nnot any more":         {},
		"the flag `stop` exists":                    {},
		"“critical” is a word":                      {},
		"\"urgent\" and urgent":                     {schedule.Urgent, `inferred: "urgent"`},
		"@Reed is the backup whole?":                {schedule.Normal, "inferred: question to Reed"},
		"reed, is the backup whole?":                {schedule.Normal, "inferred: question to Reed"},
		"Veda: why?":                                {schedule.Normal, "inferred: question to Veda"},
		"FYI @Veda what do you think?":              {schedule.Normal, "inferred: question to Veda"},
		"@Veda stop?":                               {schedule.Urgent, `inferred: "stop"`},
		"@Veda and @Reed, why?":                     {},
		"@Nobody why?":                              {},
		"mail reed@Veda why?":                       {},
		"Is Reed right?":                            {},
		"@Reed look at this.":                       {},
		"FYI: the log moved":                        {schedule.Background, `inferred: "fyi"`},
		"broadcast to all":                          {schedule.Background, `inferred: "broadcast"`},
		"Convention  Update: tabs":                  {schedule.Background, `inferred: "convention update"`},
		"the convention, an update":                 {},
		"":                                          {},
	} {
		if p, why := roomlog.Infer(message, members); p != want.p || why != want.why {
			t.Errorf("%q: got %v, %s, want %v, %s", message, p, why, want.p, want.why)
		}
	}
}

func TestAddressedMembersAreFoundByName(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]string{
		"@veda and @Reed.":        {"Reed", "Veda"},
		"@rune.2, please":         {"rune.2"},
		"ask @rune.2.":            {"rune.2"},
		"@Reeds":                  nil,
		"@@Reed":                  nil,
		"> @Reed said so":         nil,
		"Reed and Veda, look":     nil,
		"Reed: and @Veda":         {"Reed", "Veda"},
		"(@Reed)":                 {"Reed"},
		strings.Repeat("@", 1000): nil,
	} {
		if diff := cmp.Diff(want, roomlog.Addressed(message, members)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", message, diff)
		}
	}
}

func TestAnswerIsSilenceOnlyAsAWhole(t *testing.T) {
	t.Parallel()
	for answer, silent := range map[string]bool{
		"<PASS>": true, " <PASS>\n": true, "<PASS>.": false, "<PASS> no": false, "<pass>": false, "<PAS": false,
		"": false, "I <PASS>": false, "<PASS><PASS>": false,
	} {
		if got := roomlog.IsSilence(answer); got != silent {
			t.Errorf("%q is silence: got %v, want %v", answer, got, silent)
		}
	}
}

// TestNothingOfSilenceIsShown streams answers in all sorts of fragments.
func TestNothingOfSilenceIsShown(t *testing.T) {
	t.Parallel()
	parts := []string{"<", "P", "A", "S", ">", " ", "\n", "<PASS>", "x", "§1"}
	rapid.Check(t, func(t *rapid.T) {
		fragments := rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "fragments")
		whole := strings.Join(fragments, "")
		var a roomlog.Fragments
		shown, until := "", ""
		for _, f := range fragments {
			until += f
			shown += a.Write(f)
			if strings.HasPrefix(roomlog.Silence, strings.TrimSpace(until)) && shown != "" {
				t.Fatalf("%q is shown of %q, which may become silence", shown, until)
			}
		}
		if want := shown != "" || !strings.HasPrefix(roomlog.Silence, strings.TrimSpace(whole)); want && shown != whole {
			t.Fatalf("%q is shown of %q", shown, whole)
		}
	})
}

func TestTextIsShownAsSoonAsItIsNoSilence(t *testing.T) {
	t.Parallel()
	var a roomlog.Fragments
	for i, step := range [][2]string{{" <PA", ""}, {"S", ""}, {"T>", " <PAST>"}, {"<PASS>", "<PASS>"}} {
		if got := a.Write(step[0]); got != step[1] {
			t.Errorf("step %d: got %q, want %q", i, got, step[1])
		}
	}
}

func TestSectionsAreNumbersBehindTheSign(t *testing.T) {
	t.Parallel()
	got := slices.Collect(roomlog.Sections("Sparse §3, flagged §4. §3 again, §0, §, §x, §007, § 5, §1234567890, §12§13"))
	if diff := cmp.Diff([]int{3, 4, 12, 13}, got); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

func TestVerdictIsAWholeMessage(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"repeat §4": "4 true true", "skip §12.": "12 false true", "@Reed, Repeat 4": "4 true true", " Reed: SKIP §1 ": "1 false true",
		"repeat §0": "0 false false", "please do repeat §4": "0 false false", "repeat": "0 false false", "repeat §4 and §5": "0 false false",
		"skip §1234567890": "0 false false", "do not repeat §4": "0 false false",
	} {
		ix, repeat, ok := roomlog.Verdict(message)
		if got := fmt.Sprint(ix, repeat, ok); got != want {
			t.Errorf("%q: got %s, want %s", message, got, want)
		}
	}
}

func TestLabelHasTwoToFourWords(t *testing.T) {
	t.Parallel()
	for _, c := range [][4]string{
		{"backup-audit", "Agent", "audit backup state", "backup-audit"},
		{"", "Agent", "audit backup state for all", "Agent audit backup"},
		{"audit", "Agent", "", "Agent audit"},
		{"", "Read", "", "Read call"},
		{"", "", "", "call call"},
		{"one two three four five six", "T", "", "one two three four"},
		{"one-two_three-four-five", "T", "", "one-two_three-four"},
		{"\x1b[31mred\x1b[0m alert", "T", "", "[31mred [0m alert"},
	} {
		if got := roomlog.Label(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%q, %q, %q: got %q, want %q", c[0], c[1], c[2], got, c[3])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		label := roomlog.Label(rapid.String().Draw(t, "given"), rapid.String().Draw(t, "tool"), rapid.String().Draw(t, "about"))
		words := strings.FieldsFunc(label, func(r rune) bool { return r == ' ' || r == '-' || r == '_' })
		if len(words) < 2 || len(words) > 4 || !utf8.ValidString(label) || len(label) > 110 {
			t.Fatalf("%q has %d words", label, len(words))
		}
	})
}

func TestLineIsTheFirstThatIsNotEmpty(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"\n \n 3 DBs synced\nmore":  "3 DBs synced",
		"a\tb\x1b[2J\x00":           `a b\x1b[2J\x00`,
		"":                          "",
		strings.Repeat("ä", 200):    strings.Repeat("ä", 200),
		strings.Repeat("ä", 201):    strings.Repeat("ä", 199) + "…",
		strings.Repeat("x", 10<<20): strings.Repeat("x", 199) + "…",
		"\u202eevil":                `\u202eevil`,
	} {
		if got := roomlog.FirstLine(in); got != want {
			t.Errorf("%.20q: got %q, want %q", in, got, want)
		}
	}
}

func FuzzInfer(f *testing.F) {
	f.Add("@Reed, urgent? \"stop\" §3")
	f.Fuzz(func(t *testing.T, message string) {
		p, why := roomlog.Infer(message, members)
		if (p == 0) != (why == "") {
			t.Errorf("%v because %q", p, why)
		}
		for n := range roomlog.Sections(message) {
			if n < 1 {
				t.Errorf("section %d", n)
			}
		}
	})
}
