package inspect_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

func everyClaim(t *testing.T) []inspect.Claim {
	t.Helper()
	var all []inspect.Claim
	for _, name := range fixtures {
		p := fixture(t, name)
		all = append(all, inspect.Claims(p, inspect.All(p))...)
	}
	return all
}

func TestEveryConsiderationIsHeard(t *testing.T) {
	heard := make(map[string]bool)
	for _, c := range everyClaim(t) {
		for _, a := range c.Arguments {
			heard[a.Inspector+" "+a.Check] = true
		}
	}
	for _, c := range inspect.AllConsiderations() {
		if _, ok := inspect.Named(c.Inspector); !ok {
			t.Errorf("%s belongs to no inspector: %q", c.Name, c.Inspector)
		}
		if !heard[c.Inspector+" "+c.Name] {
			t.Errorf("%s of %s is heard about no fixture", c.Name, c.Inspector)
		}
	}
}

// TestInspectorsArgueAboutOthers finds considerations that could never be heard,
// because they are about rules of their own inspector.
func TestInspectorsArgueAboutOthers(t *testing.T) {
	owner := make(map[string]string)
	for _, c := range everyClaim(t) {
		owner[c.Finding.Rule] = c.Finding.Inspector
	}
	for _, c := range inspect.AllConsiderations() {
		for _, rule := range c.Rules {
			if owner[rule] == c.Inspector {
				t.Errorf("%s argues about %s, which is of the same inspector", c.Name, rule)
			}
		}
	}
}

func TestArgumentsAreComplete(t *testing.T) {
	for _, c := range everyClaim(t) {
		for _, a := range c.Arguments {
			if a.Inspector == c.Finding.Inspector {
				t.Errorf("%s argues about its own %s", a.Inspector, c.Finding.Key())
			}
			if a.Covers != len(a.Places) || a.Covers > len(c.Finding.Places) || a.Reason == "" || !(a.Strength > 0 && a.Strength <= 1) {
				t.Errorf("about %s: incomplete argument %+v", c.Finding.Key(), a)
			}
		}
	}
}
