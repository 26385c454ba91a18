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
		_, err := p.Publish(ctx, question(r.Task, r.ID, r.Worker, r.Escalation))
		return err
	}
}

// question returns what asks a person.
func question(thread string, id signals.ID, worker string, e reports.Escalation) signals.Any {
	asked := fmt.Sprintf("%s, %s urgency", e.Kind, e.Urgency)
	if len(e.Options) > 0 {
		asked += ": " + strings.Join(e.Options, ", ")
	}
	if e.RecommendedOption != "" {
		asked += "; recommends " + e.RecommendedOption
	}
	if e.Kind == reports.Approval {
		asked += "; the answer begins with " + reports.Approve + " or " + reports.Refuse
	}
	return signals.New(
		// The answer to the question has to find it, however late it comes.
		signals.Header{Thread: thread, ReplyTo: id, Confidence: 1, TTL: -1, Priority: e.Urgency.Priority()},
		signals.Escalation{Reason: fmt.Sprintf("%s: %s", worker, e.Reason), Context: asked},
	)
}
