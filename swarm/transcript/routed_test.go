package transcript_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

func TestRoutedSignalsAreShown(t *testing.T) {
	s := signals.New(signals.Header{Seq: 7, Source: "user"}, routing.UserMessage{Text: "hi"})
	for _, c := range []struct {
		decision   routing.Decision
		text, json string
	}{
		{
			routing.Decision{Action: routing.Reject, Tier: routing.TierStrategy, Route: "busy"},
			`reject user:message of user, by strategy route "busy"`,
			`{"event":"routed","agent":"a","kind":"user:message","seq":7,"action":"reject","tier":"strategy","route":"busy"}`,
		},
		{
			routing.Decision{Err: errors.New("boom")},
			"unrouted user:message of user: boom",
			`{"event":"routed","agent":"a","kind":"user:message","seq":7,"action":"unrouted","error":"boom"}`,
		},
	} {
		var text, lines strings.Builder
		e := solves.Routed{Agent: "a", Signal: s, Decision: c.decision}
		if err := errors.Join(transcript.Text(&text, nil)(e), transcript.JSON(&lines)(e)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), c.text) || strings.TrimSpace(lines.String()) != c.json {
			t.Errorf("got %s and %s", text.String(), lines.String())
		}
	}
}
