package swarm

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// Resume continues a solve from its log: with an answer from outside the swarm, one
// that escalated or ended undecided; with a nil answer, one that was interrupted.
//
// It needs only the log: [solves.Result].Log, a log of [solves.List], or one written
// elsewhere, also by another process (see [runlog.Kinds]). Agents remember what is in the
// log. Rounds and signals continue to be counted, the deadline begins anew. Options
// should be those of the swarm that wrote the log; the seed is that of the log.
//
// # Interrupted solves
//
// Wherever its process was killed, a solve in a journal continues where the journal
// ends, by the terms on record. Turns that are incomplete in the log are taken again,
// with the same input; their signals that are in the log are not published again. So
// no call is repeated whose result a recorder has in the journal
// ([journal.Recorder], package cassette). A solve that stopped for lack of time or
// money, because it was cancelled, because of an error, or to ask a person
// ([runlog.StopAsked]) continues, too. For one that ended otherwise, or that waits for an
// answer, Resume returns the result that it had.
//
// # With an answer
//
// The answer is a signal of any kind that agents may publish, except an escalation.
// A consensus and the other kinds of the system are refused, and so is a vote on an
// unknown proposal. The answer's source is that of its header, or [runlog.Person]; it must
// not be the name of an agent, ignoring case and surrounding spaces. The answer
// replies to the question, if there is one. Every agent hears it in its next turn,
// whatever it listens to. A vote for one side of an open conflict settles it for that
// side; any other answer settles only the conflict that was asked about. The source becomes a
// voter with weight 1: its vote counts like that of an agent, and decides if the
// strategy requires no others; a [signals.Memory] leaves the decision to the agents.
//
// A question is answered once: a second answer is refused with an [*runlog.AnsweredError]
// that says who was first. Questions about calls of tools are answered with [Swarm.Answer].
// With [runlog.Abandon] a solve that waits stops for good.
//
// The error is a wrapped [runlog.ErrLog] for a log from which no solve can continue, or one
// of those of [Swarm.Solve]. An empty bus of the swarm is fed with the log; it is an
// error if the bus is not empty and does not have all of it. Signals that the bus has
// in the thread after the log count.
func (s *Swarm) Resume(ctx context.Context, log []signals.Any, answer signals.Any) (*solves.Result, error) {
	return resultOf(s.StreamResume(ctx, log, answer))
}

// StreamResume is to [Swarm.Resume] what [Swarm.Stream] is to [Swarm.Solve].
// Signals already in the log are not shown again.
func (s *Swarm) StreamResume(ctx context.Context, log []signals.Any, answer signals.Any) iter.Seq2[solves.Event, error] {
	return s.stream(ctx, func() (*solve, func(context.Context), error) {
		r, answer, err := s.startAgain(ctx, log, answer)
		if err != nil {
			return nil, nil, err
		}
		return r, func(ctx context.Context) {
			if r.result.Rounds == 0 { // the process may have ended before all of it was in the log
				r.brief(ctx)
			}
			for i := range r.thread.Log { // the process may have ended before the memory had all
				r.remember(ctx, r.thread.Log[:i+1])
			}
			for _, say := range r.thread.Questions.Expire(s.clock.Now()) {
				r.announce(ctx, say)
			}
			for said := s.team().Unrecorded(&r.thread.Stage); said != nil && !r.over(); said = s.team().Unrecorded(&r.thread.Stage) {
				r.takeAnswer(ctx, said)
			}
			if answer != nil && !r.over() {
				r.answered(ctx, answer)
			}
		}, nil
	})
}

// Answer says a person's answer about the call of a tool, one of the [solves.Logged].Questions, in
// the log. The solve goes on with it when it is resumed, without an answer. Of several answers the
// first counts: a second one is refused with an [*runlog.AnsweredError]. A journal whose swarm is not
// open takes [solves.Answer].
func (s *Swarm) Answer(ctx context.Context, thread string, a asking.Answer) error {
	s.answering.Lock()
	defer s.answering.Unlock()
	asked, err := s.asked(ctx, thread)
	if err != nil {
		return err
	}
	say, err := asked.Answer(a)
	if err != nil {
		return err
	}
	for _, said := range say {
		h := said.Head()
		h.Time, h.Trace = s.clock.Now(), hooks.TraceOf(ctx)
		if _, err := s.bus.System().Publish(ctx, signals.With(said, h)); err != nil {
			return err
		}
	}
	if s.keeper == nil {
		return nil
	}
	return s.keeper.Sync(ctx, s.bus.Last())
}

// asked returns the questions of a thread: as the journal has them, or else the bus.
func (s *Swarm) asked(ctx context.Context, thread string) (*runlog.Questions, error) {
	if s.keeper == nil {
		t := runlog.New(thread)
		for said := range s.bus.History(bus.Filter{Threads: []string{thread}}) {
			t.Apply(said)
		}
		return &t.Questions, nil
	}
	if err := s.keeper.Sync(ctx, s.bus.Last()); err != nil {
		return nil, err
	}
	return solves.Asked(s.opts.Journal, thread, s.opts.Kinds...)
}

// team returns the names of the agents, and of those that may join.
func (s *Swarm) team() runlog.Insiders {
	return append(namesOf(s.opts.Agents), namesOf(s.benched())...)
}

// startAgain opens a solve with the state of its log, and returns the answer as a reply to its question.
func (s *Swarm) startAgain(ctx context.Context, log []signals.Any, answer signals.Any) (*solve, signals.Any, error) {
	task, err := runlog.Opening(log)
	if err != nil {
		return nil, nil, err
	}
	if err := s.catchUp(ctx, log); err != nil {
		return nil, nil, fmt.Errorf("swarm: %w", err)
	}
	if err := s.names.ReserveAgain(task.Thread); err != nil {
		return nil, nil, err
	}
	s.resuming.RLock()
	log = s.whole(log)
	at := runlog.StageOf(log)
	if s.keeper != nil {
		err = s.keeper.Has(ctx, log)
	}
	abandoned := ""
	if err == nil && answer != nil {
		abandoned, answer, err = s.answerTo(log, at, answer)
	}
	if err != nil {
		s.resuming.RUnlock()
		s.names.Release(task.Thread)
		return nil, nil, err
	}
	r, err := s.open(&solves.Result{Thread: task.Thread, Task: task.Payload, Seed: s.opts.Seed})
	if err != nil {
		s.resuming.RUnlock()
		return nil, nil, err
	}
	r.records.earlier = true
	if err := s.layer.Adopt(slices.Values(log)); err != nil {
		r.fail("the coordination of the solve cannot be restored", err)
	}
	r.restore(ctx, log)
	if made := at.Decided; answer == nil && made != nil && made.Payload.Stop.GoesOn() && made.Payload.ClosesThread() {
		r.thread.Conflicts.Keep(r.openOnBus())
	}
	if s.keeper != nil { // it may have questions from before they were signals
		asked, err := solves.Asked(s.opts.Journal, task.Thread, s.opts.Kinds...)
		if err != nil {
			r.fail("the journal cannot be read", err)
		} else {
			r.thread.Questions = *asked
		}
	}
	if r.records.abandoned = abandoned; abandoned != "" || answer != nil || s.team().Unrecorded(at) != nil {
		r.seats.DropTurns()
	} else {
		r.ended(at)
	}
	return r, answer, nil
}

// abandons says why a solve stops that is resumed with [runlog.Abandon]; "": the answer is another one. The error
// is a wrapped [runlog.ErrLog] if the solve does not wait for a person.
func abandons(at *runlog.Stage, answer signals.Any) (why string, err error) {
	of, ok := signals.As[runlog.Decided](answer)
	switch made := at.Decided; {
	case !ok || of.Payload.Stop != runlog.StopAbandoned:
		return "", nil
	case made == nil || made.Payload.Stop != runlog.StopAsked && made.Payload.Stop != runlog.StopEscalated:
		return "", fmt.Errorf("%w: it waits for nobody, so that nothing is cancelled", runlog.ErrLog)
	}
	return text.Printable(of.Source) + " cancelled the solve while it waited", nil
}

// answerTo returns an answer as a reply to its question, or why the solve is abandoned, unless it is refused.
func (s *Swarm) answerTo(log []signals.Any, at *runlog.Stage, answer signals.Any) (abandoned string, reply signals.Any, err error) {
	if abandoned, err = abandons(at, answer); abandoned != "" || err != nil {
		return abandoned, nil, err
	}
	if err := s.team().Check(s.bus, answer); err != nil {
		return "", nil, err
	}
	question, err := s.team().To(log, at, answer)
	if err := cmp.Or(err, s.team().Waits(at, question, s.keeper != nil), runlog.OnRecord(log, answer)); err != nil {
		return "", nil, err
	}
	h := answer.Head()
	h.ReplyTo = question
	return "", signals.With(answer, h), nil
}

// whole returns the log followed by what the bus has of the thread after it.
func (s *Swarm) whole(log []signals.Any) []signals.Any {
	last := log[len(log)-1].Head()
	log = slices.Clip(log)
	for said := range s.bus.History(bus.Filter{Threads: []string{last.Thread}, After: last.Seq}) {
		log = append(log, said)
	}
	return log
}

// catchUp ensures that the next signal published comes after the log.
func (s *Swarm) catchUp(ctx context.Context, log []signals.Any) error {
	last := log[len(log)-1].Head().Seq
	switch at := s.bus.Last(); {
	case at >= last:
		return nil
	case at == 0:
		return s.bus.Feed(ctx, log...)
	default:
		return fmt.Errorf("%w: it ends at %d and the bus at %d", runlog.ErrLog, last, at)
	}
}

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
	h.Source, h.Thread, h.Round = runlog.SourceOf(answer), r.result.Thread, int32(r.result.Rounds)
	publisher, err := r.swarm.bus.Agent(h.Source, bus.Permissions{Threads: []string{r.result.Thread}})
	if err == nil {
		err = r.publish(ctx, publisher, signals.With(answer, h))
	}
	if err != nil {
		r.fail("the answer was refused", err)
		return
	}
	if r.over() {
		return // the swarm was closed before the answer came back
	}
	news := r.thread.Log[before:]
	r.takeAnswer(ctx, news[slices.IndexFunc(news, func(s signals.Any) bool { return s.Head().Source == h.Source })])
}

// takeAnswer records that a signal is the answer. A solve that is interrupted before
// that does so when it continues.
func (r *solve) takeAnswer(ctx context.Context, said signals.Any) {
	h, question := said.Head(), signals.ID{}
	if r.thread.Stage.Asked() != nil {
		question = h.ReplyTo
	}
	r.settleByAnswer(ctx, said)
	r.end(ctx, r.thread.Alarms())
	r.announce(ctx, signals.New(signals.Header{Confidence: 1, ReplyTo: question, Recipients: signals.To(bus.System)}, runlog.Answered{By: h.Source, AnswerID: h.ID}))
	r.seats.DeliverAll(said)
}
