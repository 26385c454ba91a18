package swarm

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/answers"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// ended ends a solve that is over as it ended before, without recording anything.
func (r *solve) ended(g *runlog.Stage) {
	if !g.Over() {
		return
	}
	r.records.decided, r.records.announced = true, g.Announced != nil
	made := runlog.Decided{Stop: runlog.StopConsensus, Detail: r.votes().Decision().Reason()}
	if g.Decided != nil {
		made = g.Decided.Payload
	}
	if made.Closed {
		r.votes().Close()
	}
	if made.Quorum > 0 {
		r.votes().SetQuorum(made.Quorum)
	}
	r.result.Observed = made.Observed
	r.stop(made.Stop, made.Detail, nil)
}

// answered publishes the answer as a reply to the solve's question, or to the record
// of its stop.
func (r *solve) answered(ctx context.Context, answer signals.Any) {
	h, before := answer.Head(), len(r.thread.Log)
	h.ReplyTo = r.thread.Stage.Question()
	h.Source, h.Thread, h.Round = answers.Source(answer), r.result.Thread, int32(r.result.Rounds)
	publisher, err := r.swarm.bus.Agent(h.Source, bus.Permissions{Threads: []string{r.result.Thread}})
	if err == nil {
		err = r.publish(ctx, publisher, signals.With(answer, h))
	}
	if err != nil {
		r.fail("the answer was refused", err)
		return
	}
	news := r.thread.Log[before:]
	r.takeAnswer(ctx, news[slices.IndexFunc(news, func(s signals.Any) bool { return s.Head().Source == h.Source })])
}

// takeAnswer records that a signal is the answer. A solve that is interrupted before
// that does so when it continues.
func (r *solve) takeAnswer(ctx context.Context, said signals.Any) {
	h, question := said.Head(), signals.ID{}
	if asked := r.thread.Stage.Asked; asked != nil {
		question = asked.ID
	}
	r.settleByAnswer(ctx, said)
	r.end(ctx, r.thread.Alarms())
	r.announce(ctx, signals.New(signals.Header{Confidence: 1, ReplyTo: question, Recipients: signals.To(bus.System)}, runlog.Answered{By: h.Source, AnswerID: h.ID}))
	r.tellAll(h.ID)
}
