package desk

import (
	"strings"
	"testing"
)

func TestOfWhatAModelSaysAsJSONTheWordsAreHeard(t *testing.T) {
	all := `{"say": [{"type": "vote", "proposal": "P1", "reasons": "it \"spreads\" load\u00e9", "stance": "agree", "confidence": 0.75}]}`
	for name, c := range map[string]struct{ says, want string }{
		"a word":       {all[:30], ""},
		"a reason":     {all[:strings.Index(all, " load")+2], `it "spreads" l`},
		"all":          {all, `it "spreads" load`},
		"plain":        {" so be it", "so be it"},
		"plain quotes": {`so "be" it`, `so "be" it`},
	} {
		var s speech
		for _, r := range c.says {
			s.add(string(r))
		}
		if got := s.newest; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestALongSpeechKeepsItsEndOnly(t *testing.T) {
	for _, begin := range []string{"It is ", `{"reason": "It is `} {
		var s speech
		s.add(begin)
		for range 10_000 {
			s.add("long, ")
		}
		s.add("and ends")
		if words := s.newest; !strings.HasSuffix(words, "long, and ends") || len(words) != kept || len(s.text) > 3*kept {
			t.Errorf("%s: keeps %d characters and shows %q", begin, len(s.text), words)
		}
	}
}
