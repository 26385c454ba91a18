package solves

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Answer says a person's answer about the call of a tool in the journal of a swarm that is not
// open, one of the [Logged].Questions of a thread. The solve goes on with it when it is resumed.
// Of several answers the first counts: a second one is refused with an [*runlog.AnsweredError].
func Answer(ctx context.Context, j journal.Store, thread string, a asking.Answer) error {
	asked, err := Asked(j, thread)
	if err != nil {
		return err
	}
	say, err := asked.Answer(a)
	if err != nil {
		return err
	}
	l, err := read(j, thread)
	if err != nil {
		return err
	}
	for i, s := range say {
		h := s.Head()
		h.Round = l.round()
		say[i] = signals.With(s, h)
	}
	return l.say(ctx, j, say...)
}

// round returns the last round of the thread.
func (l *left) round() int32 {
	return slices.MaxFunc(l.said, func(a, b signals.Any) int { return int(a.Head().Round - b.Head().Round) }).Head().Round
}

// Asked returns the questions of a thread of a journal to a person.
func Asked(j journal.Reader, thread string, kinds ...signals.Registration) (*runlog.Questions, error) {
	codec, err := runlog.NewCodec(kinds...)
	if err != nil {
		return nil, err
	}
	past, _, err := replayed(j, codec)
	if err != nil {
		return nil, err
	}
	defer past.Close()
	return &past.Thread(thread).Questions, nil
}

// BeforeIn returns what a record has of a question or an answer from before they were signals,
// for [runlog.Questions.Record]; ok is false for any other record.
func BeforeIn(record *journal.Record) (of asking.Record, ok bool) {
	if record.Type != journal.TypeResult {
		return of, false
	}
	return asking.Upgrade(record.Head, record.Body)
}
