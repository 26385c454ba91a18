package signals_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/signals"
)

func TestRecipientsAreASet(t *testing.T) {
	names := []string{"c", "a", "b", "a"}
	some := signals.To(names...)
	names[0] = "changed"
	if got := some.String(); got != "a,b,c" || some.Everyone() {
		t.Errorf("got %q", got)
	}
	for name, want := range map[string]bool{"a": true, "b": true, "c": true, "d": false, "": false, "A": false} {
		if some.Include(name) != want {
			t.Errorf("includes %q: %v", name, !want)
		}
	}
	if !some.Equal(signals.To("b", "c", "a")) || some.Equal(signals.To("a", "b")) || some.Equal(signals.To()) {
		t.Error("equal is not by members")
	}
	everyone := signals.To()
	if !everyone.Everyone() || !everyone.Include("anybody") || everyone.String() != "everyone" {
		t.Errorf("nobody named is %v", everyone)
	}
	if !everyone.Equal(signals.Recipients{}) || everyone.Equal(some) {
		t.Error("everyone is not everyone")
	}
	for range everyone.All() {
		t.Error("everyone has names")
	}
	copied := some.Names()
	if d := cmp.Diff([]string{"a", "b", "c"}, copied); d != "" || everyone.Names() != nil {
		t.Errorf("names of everyone: %v, of some:\n%s", everyone.Names(), d)
	}
	copied[0] = "changed"
	if got := some.String(); got != "a,b,c" {
		t.Errorf("a copy changed it to %q", got)
	}
	for _, r := range []signals.Recipients{everyone, some, signals.To(`"`)} {
		text, err := json.Marshal(r)
		var got signals.Recipients
		if err != nil || json.Unmarshal(text, &got) != nil || !got.Equal(r) {
			t.Errorf("%v is written %s, %v and reads as %v", r, text, err, got)
		}
	}
	if d := cmp.Diff(signals.To("a"), signals.To("b")); d == "" {
		t.Error("go-cmp finds no difference")
	}
}
