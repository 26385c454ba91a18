package hooks_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/agents/hooks"
)

func TestACauseIsOneOfTraceContextOrNone(t *testing.T) {
	t.Parallel()
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, c := range []struct{ parent, state, want string }{
		{"", "", ""},
		{"", "a=b", ""},
		{"nonsense", "", ""},
		{"00-00000000000000000000000000000000-b7ad6b7169203331-01", "", ""},
		{parent, "", parent + " "},
		{parent, "a=b", parent + " a=b"},
		{parent, "a\nb", parent + " "},
	} {
		ctx := hooks.Caused(t.Context(), func(name string) string {
			return map[string]string{"traceparent": c.parent, "tracestate": c.state}[name]
		})
		got := ""
		if of := hooks.CauseOf(hooks.After(t.Context(), ctx)); of != nil {
			got = of.String() + " " + of.State
		}
		if got != c.want {
			t.Errorf("%q, %q: the cause is %q, want %q", c.parent, c.state, got, c.want)
		}
	}
}
