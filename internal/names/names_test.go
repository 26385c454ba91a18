package names_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/internal/names"
)

func TestNamesThatPeopleTakeForEachOtherAreAlike(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"ada", " Ada ", true},
		{"ada", "аdа", true},       // Cyrillic
		{"ada", "ａｄａ", true},       // full width
		{"ada", "a\u200bda", true}, // nothing between
		{"josé", "jose\u0301", true},
		{"ﬁn", "fin", true},
		{"bill", "bi11", true},
		{"Ian", "ian", true},
		{"bob0", "bobO", true},
		{"ada", "bob", false},
		{"ada", "adam", false},
		{"josé", "jose", false},
		{"agent-1", "agent-2", false},
		{"", "a", false},
	} {
		if names.Alike(c.a, c.b) != c.want || names.Alike(c.b, c.a) != c.want {
			t.Errorf("%q and %q: want %v", c.a, c.b, c.want)
		}
	}
}
