package agents

import (
	"context"
	"iter"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// A Debate is the part of a turn that asks an agent to argue for one of two proposals. Its arguments are challenges ([signals.Challenge]): an attack is one of the
// proposal Against, an answer is one of the other side's attack. Other signals
// of the turn are published as usual.
type Debate struct {
	For, Against Standing
	Round        int  // of the debate, from 1
	Answers      bool // the turn answers the attacks of this round, which are in [Turn].New; otherwise it attacks
}

// A Debater is a [Reactor] that argues in a debate: Argue is called instead of React in
// turns with a Debate. An agent whose reactor is no Debater argues with the reasons that
// it has stated, and then reacts to what is new.
type Debater interface {
	Argue(ctx context.Context, t *Turn) iter.Seq2[signals.Any, error]
}

// CanArgue reports whether the agent can argue for one proposal against another: it may
// emit challenges, and is a [Debater] or has stated a reason.
func (a *Agent) CanArgue(over, against Standing) bool {
	if !a.May(signals.KindChallenge) {
		return false
	}
	_, able := a.Reactor.(Debater)
	return able || len(statedBy(a.ID, over, against)) > 0
}

func (a *Agent) argue(ctx context.Context, t *Turn) iter.Seq2[signals.Any, error] {
	if d, ok := a.Reactor.(Debater); ok {
		return orFail(d.Argue(ctx, t))
	}
	return statedReasons(t)
}

// debates reports whether the reactor itself argues in the turn, so that what is new
// has been answered.
func (a *Agent) debates(t *Turn) bool {
	_, able := a.Reactor.(Debater)
	return able && t.Debate != nil
}

// statedReasons argues with the next reason that the agent gave for its side, in its
// proposal and its votes, and has not argued with yet; it passes if there is none. An
// answer is to the newest attack of the other side.
func statedReasons(t *Turn) iter.Seq2[signals.Any, error] {
	target := t.Debate.Against.Proposal.ID
	if t.Debate.Answers {
		if target = t.attack(); target.IsZero() {
			return Emit(Pass("there is no attack to answer"))
		}
	}
	for _, r := range statedBy(t.Agent, t.Debate.For, t.Debate.Against) {
		if !t.argued(r.text) {
			return Emit(signals.New(
				signals.Header{Confidence: r.confidence, ReplyTo: target},
				signals.Challenge{TargetSignalID: target, CounterArgument: r.text},
			))
		}
	}
	return Emit(Pass("no more reasons"))
}

// attack returns the newest challenge of the agent's side in the debate.
func (t *Turn) attack() signals.ID {
	for _, s := range slices.Backward(t.New) {
		if c, ok := signals.As[signals.Challenge](s); ok && c.Payload.TargetSignalID == t.Debate.For.Proposal.ID {
			return c.ID
		}
	}
	return signals.ID{}
}

// argued reports whether the agent has said the same in an earlier challenge.
func (t *Turn) argued(text string) bool {
	return slices.ContainsFunc(t.Said, func(s signals.Any) bool {
		c, ok := signals.As[signals.Challenge](s)
		return ok && c.Payload.CounterArgument == text
	})
}

// A reason is one that an agent stated, with its confidence in it.
type reason struct {
	text       string
	confidence float64
}

// statedBy returns the reasons that an agent gave for a proposal and against another.
func statedBy(agent string, over, against Standing) (all []reason) {
	add := func(text string, h signals.Header) {
		known := slices.ContainsFunc(all, func(r reason) bool { return r.text == text })
		if text != "" && h.Source == agent && !known {
			all = append(all, reason{text, h.Confidence})
		}
	}
	for _, p := range slices.Concat([]*signals.Signal[signals.Proposal]{over.Proposal}, over.Same) {
		add(p.Payload.Reasoning, p.Header)
	}
	for _, v := range over.Votes {
		if v.Payload.Stance == signals.Agree {
			add(v.Payload.Reasoning, v.Header)
		}
	}
	for _, v := range against.Votes {
		if v.Payload.Stance == signals.Disagree {
			add(v.Payload.Reasoning, v.Header)
		}
	}
	return all
}
