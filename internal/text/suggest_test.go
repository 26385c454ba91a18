package text_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/internal/text"
)

func TestSuggest(t *testing.T) {
	t.Parallel()
	known := []string{"role", "model", "weight", "task:new"}
	for word, want := range map[string]string{
		"rolle": `; did you mean "role"?`, "modol": `; did you mean "model"?`, "task": `; did you mean "task:new"?`, "qqqqqqq": "",
	} {
		if got := text.Suggest(word, known); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
	if got := text.Suggest("x", []string(nil)); got != "" {
		t.Errorf("of none: got %q", got)
	}
}
