package reporting

import (
	"context"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// Escalate returns a conductor that passes escalations on as
// [signals.Escalation], in the task's thread and in the name of p. A swarm that
// solves the thread ends escalated, at the end of the round, asks what the worker
// asks, and continues with an answer.
func Escalate(p *bus.Publisher) Conductor {
	return func(ctx context.Context, r reports.Request) error {
		asked := fmt.Sprintf("%s, %s urgency", r.Escalation.Kind, r.Urgency)
		if len(r.Options) > 0 {
			asked += ": " + strings.Join(r.Options, ", ")
		}
		if r.RecommendedOption != "" {
			asked += "; recommends " + r.RecommendedOption
		}
		_, err := p.Publish(ctx, signals.New(
			// The answer to the question has to find it, however late it comes.
			signals.Header{Thread: r.Task, ReplyTo: r.ID, Confidence: 1, TTL: -1},
			signals.Escalation{Reason: fmt.Sprintf("%s: %s", r.Worker, r.Reason), Context: asked},
		))
		return err
	}
}
