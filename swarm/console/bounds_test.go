package console_test

import (
	"fmt"
	"strings"
	"testing"
)

// Huma says each fault of a body with the whole of what it is in: 170 KB were gigabytes.
func TestBadRequestsAreAnsweredInABoundedSpace(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	many := func(n int, member string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(member, i))
		}
		return "{" + strings.Join(all, ",") + "}"
	}
	for name, body := range map[string]string{
		"unknown members":   many(16_000, `"m%d":1`),
		"wrong numbers":     `{"team":"platform","task":"x","context":1,"extra":` + many(10_000, `"m%d":1`) + `}`,
		"a long name":       `{"` + strings.Repeat("n", 100_000) + `":1}`,
		"a long value":      `{"team":"platform","task":` + asJSON(t, strings.Repeat("t", 200_000)) + `,"mode":` + asJSON(t, strings.Repeat("m", 100_000)) + `}`,
		"members of a list": `{"team":"platform","task":"x","values":[` + strings.TrimSuffix(strings.Repeat(`{"a":1},`, 10_000), ",") + `]}`,
		"no JSON":           strings.Repeat("[", 100_000),
		"no object":         `"` + strings.Repeat("x", 100_000) + `"`,
	} {
		for _, path := range []string{"/api/solves", "/api/inbox/x/answer"} {
			status, _, text := s.ask("POST", path, body)
			if status < 400 || status >= 500 || len(text) > 16<<10 {
				t.Errorf("%s to %s: %d, %d bytes: %.200s", name, path, status, len(text), text)
			}
		}
	}
}
