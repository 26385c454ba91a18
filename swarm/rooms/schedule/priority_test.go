package schedule_test

import (
	"encoding/json"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

func TestPriorityIsANumberAtIntakeAndAWordInEvents(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]schedule.Priority{
		`1`: schedule.Urgent, `2`: schedule.Normal, `3`: schedule.Background,
		`"urgent"`: schedule.Urgent, `"normal"`: schedule.Normal, `"background"`: schedule.Background,
	} {
		var got schedule.Priority
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
		if word, err := json.Marshal(got); err != nil || string(word) != `"`+want.String()+`"` {
			t.Errorf("%s: written as %s, %v", text, word, err)
		}
	}
	for _, text := range []string{`0`, `4`, `1.5`, `-1`, `"high"`, `""`, `true`, `"1"`} {
		var got schedule.Priority
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s is read as %v", text, got)
		}
	}
	if _, err := json.Marshal(schedule.Priority(0)); err == nil {
		t.Error("an unset priority is written")
	}
}
