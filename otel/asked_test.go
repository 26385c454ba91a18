package otel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// An error rate by spans and logs does not count the calls that wait for a person.
func TestAskingAPersonIsNoFailure(t *testing.T) {
	var log bytes.Buffer
	r := newTrace(t, otel.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	asks := agent("asks", signals.KindTask)
	asks.Reactor = agents.Each(func(ctx context.Context, _ signals.Any) seq {
		calls, err := toolSet().Begin(ctx)
		if err == nil {
			_, err = calls.Make(ctx, models.Call{ID: "1", Name: "files/write", Args: json.RawMessage(`{}`)})
		}
		return agents.Fail(err)
	})
	set := toolSet()
	set.May[1].Policy = tools.Ask
	r.solve(t, swarm.Options{Agents: []*agents.Agent{asks}})
	asked := 0
	for _, s := range r.spans(t) {
		if s.Status != "" && s.Status != "Unset" || s.Attributes["error.type"] != "" {
			t.Errorf("%s has status %q and the error %q", s.Name, s.Status, s.Attributes["error.type"])
		}
		if s.Attributes["swarmbus.turn.asked"] == "true" {
			asked++
		}
	}
	if asked != 1 || strings.Contains(log.String(), "level=WARN") {
		t.Errorf("%d turns asked; the log is %s", asked, log.String())
	}
}
