package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/signals"
)

// An Ask passes a turn to the process of an agent and returns its answer. Its context ends
// with the turn.
type Ask func(ctx context.Context, agent string, request []byte) (answer []byte, err error)

// Reactor returns the reactor of an agent whose turns are taken elsewhere. A nil codec knows
// the built-in kinds. If the agent argues in debates it does so elsewhere, too.
func Reactor(ask Ask, codec *signals.Codec) agents.Reactor { return elsewhere{ask, known(codec)} }

func known(codec *signals.Codec) *signals.Codec {
	if codec == nil {
		return new(signals.Codec)
	}
	return codec
}

type elsewhere struct {
	ask   Ask
	codec *signals.Codec
}

var _ agents.Debater = elsewhere{}

// React implements [agents.Reactor].
func (a elsewhere) React(ctx context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	return a.take(ctx, t, false)
}

// Argue implements [agents.Debater].
func (a elsewhere) Argue(ctx context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	return a.take(ctx, t, true)
}

func (a elsewhere) take(ctx context.Context, t *agents.Turn, argue bool) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) {
		all, err := a.askFor(ctx, t, argue)
		for _, s := range all {
			if !yield(s, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// askFor returns what the agent says, and why it said no more.
func (a elsewhere) askFor(ctx context.Context, t *agents.Turn, argue bool) ([]signals.Any, error) {
	request, err := encode(ctx, t, argue)
	if err != nil {
		return nil, err
	}
	text, err := a.ask(ctx, t.Agent, request)
	if err != nil {
		return nil, err
	}
	var answer reply
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("remote: the answer of %s: %w", t.Agent, err)
	}
	all, err := answer.Read(a.codec)
	asks, wrong := answer.asks(t)
	switch {
	case err != nil || wrong != nil:
		return nil, fmt.Errorf("remote: the answer of %s: %w", t.Agent, cmp.Or(err, wrong))
	case asks != nil:
		return all, asks
	case answer.Error == "":
		return all, nil
	case answer.Retry:
		return all, agents.Retryable(errors.New(answer.Error), answer.After)
	}
	return all, errors.New(answer.Error)
}

// mostQuestions is how many questions a turn may have.
const mostQuestions = 64

// unlimited are the limits of texts whose senders have limited them.
var unlimited = signals.Limits{TextBytes: -1}

// asks returns the error of a turn that asks a person; nil: it asks nothing. The questions have to
// be about calls of this turn.
func (r *reply) asks(t *agents.Turn) (*asking.Error, error) {
	if len(r.Questions) == 0 {
		return nil, nil
	}
	if n := len(r.Questions); n > mostQuestions {
		return nil, fmt.Errorf("%d questions, at most %d are allowed", n, mostQuestions)
	}
	for i, q := range r.Questions {
		err := q.Check(unlimited)
		if err == nil && (q.Agent != t.Agent || q.Thread != t.Thread || q.Turn != t.Round) {
			err = fmt.Errorf("it is of %s in turn %d of %s", q.Agent, q.Turn, q.Thread)
		}
		if err != nil {
			return nil, fmt.Errorf("questions[%d]: %w", i, err)
		}
	}
	return &asking.Error{Calls: r.Questions}, nil
}

// Read returns the signals of the answer. A nil codec knows the built-in kinds.
func (a *Answer) Read(codec *signals.Codec) (all []signals.Any, err error) {
	codec = known(codec)
	for i, text := range a.Signals {
		s, err := codec.Unmarshal(text)
		if err != nil {
			return nil, fmt.Errorf("signals[%d]: %w", i, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// part returns an agent that does the part of a turn that is asked for: the arguments of
// its debate, or its reactor. Routed signals are acted on where the swarm is. It prepares
// the turn accordingly.
func part(a *agents.Agent, t *agents.Turn, argue bool) *agents.Agent {
	one, debater := *a, agents.Debater(nil)
	if argue {
		debater, _ = a.Reactor.(agents.Debater)
	}
	whole := *t
	t.Routed = nil
	if argue && debater == nil { // it argues with the reasons that it has stated
		one.Reactor = agents.Func(func(context.Context, *agents.Turn) iter.Seq2[signals.Any, error] { return agents.Emit() })
		return &one
	}
	t.Debate = nil
	one.Reactor = agents.Func(func(ctx context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
		t.Debate, t.Routed = whole.Debate, whole.Routed
		if debater != nil {
			return debater.Argue(ctx, t)
		}
		return a.Reactor.React(ctx, t)
	})
	return &one
}

// Take lets an agent take the turn of a request, and returns the answer. That of a nil agent is
// an error. A nil codec knows the built-in kinds.
func Take(ctx context.Context, a *agents.Agent, codec *signals.Codec, request []byte) []byte {
	var answer reply
	ctx, t, argue, err := decode(ctx, request, known(codec))
	if a == nil {
		a, err = &agents.Agent{}, errors.New("remote: no agent for the turn")
	}
	if err == nil && t.Agent != a.ID {
		err = fmt.Errorf("remote: the turn of %s is not that of %s", t.Agent, a.ID)
	}
	if err == nil {
		var all []signals.Any
		var w writer
		all, err = part(a, t, argue).Take(ctx, t)
		if answer.Signals = w.all(all); w.err != nil {
			answer.Signals, err = nil, w.err
		}
	}
	if err != nil {
		answer.Error = strings.TrimPrefix(err.Error(), "agents: "+a.ID+": ") // the swarm says whose it is
		answer.After, answer.Retry = agents.IsRetryable(err)
		answer.Questions = asking.Asked(err)
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return []byte(`{"error":"the answer cannot be written"}`)
	}
	return text
}
