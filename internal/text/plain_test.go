package text_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/internal/text"
)

func TestSignsThatCarryMeaningMakeADifference(t *testing.T) {
	t.Parallel()
	for _, differ := range [][2]string{
		{"use C++", "use C"},
		{"use C#", "use C"},
		{"retry if n <5", "retry if n >5"},
		{"raise it by 5%", "raise it by 5"},
		{"raise it by .5", "raise it by 5"},
		{"set it to -1", "set it to 1"},
		{"wait 3.5 s", "wait 35 s"},
		{"if a != b", "if a = b"},
		{"!", "?"},
	} {
		if a, b := text.Plain(differ[0]), text.Plain(differ[1]); a == b {
			t.Errorf("%q and %q are both %q", differ[0], differ[1], a)
		}
	}
}

func TestCaseSpaceAndPunctuationMakeNoDifference(t *testing.T) {
	t.Parallel()
	for _, same := range [][2]string{
		{"Retry, with full jitter.", "retry with  full jitter"},
		{"\"stop\" (now)", "Stop now!"},
		{"roll back; then, at 10:30, wait", "Roll back then at 10:30 wait"},
	} {
		if a, b := text.Plain(same[0]), text.Plain(same[1]); a != b {
			t.Errorf("%q is %q, and %q is %q", same[0], a, same[1], b)
		}
	}
}
