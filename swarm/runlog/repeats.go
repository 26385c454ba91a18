package runlog

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// repeats finds signals with which an agent says again what it has said: a vote with
// the stance and weight of its last one, whatever the reasons, a proposal or a challenge of the
// same content, whatever that is about, or an equal signal of another kind. Nobody takes a turn
// because of one.
type repeats struct {
	found map[signals.ID]bool
	votes map[ballot]signals.Vote // without reasons, by the id that they count under
	said  map[saying]bool
}

// A ballot identifies a voter's vote on an id.
type ballot struct{ voter, id string }

// A saying is what a source has said to some recipients.
type saying struct {
	source, to string
	what       signals.Payload
}

func newRepeats() repeats {
	return repeats{map[signals.ID]bool{}, map[ballot]signals.Vote{}, map[saying]bool{}}
}

// apply takes the next signal of the log. The votes are those before it.
func (r *repeats) apply(s signals.Any, before *Votes) {
	if h := s.Head(); r.repeats(h, s, before) {
		r.found[h.ID] = true
	}
}

// repeats reports whether a signal is a repetition. What the system says about one,
// such as a conflict, is one too.
func (r *repeats) repeats(h signals.Header, s signals.Any, before *Votes) bool {
	if h.Source == bus.System {
		return r.found[h.ReplyTo]
	}
	what := s.Body()
	switch p := what.(type) {
	case signals.Vote:
		return r.vote(h, p, before)
	case signals.Proposal:
		what = signals.Proposal{Content: before.key(p.Content)}
	case signals.Challenge:
		what = signals.Challenge{CounterArgument: text.Plain(p.CounterArgument), AlternativeProposal: text.Plain(p.AlternativeProposal)}
	}
	if !reflect.ValueOf(what).Comparable() {
		return false
	}
	said := saying{h.Source, strings.Join(h.Recipients.Names(), "\x00"), what}
	defer func() { r.said[said] = true }()
	return r.said[said]
}

func (r *repeats) vote(h signals.Header, v signals.Vote, before *Votes) bool {
	if p := before.Of(v.ProposalID); p != nil {
		v.ProposalID = p.ID()
	}
	v.Weight, v.Reasoning = cmp.Or(v.Weight, h.Confidence), ""
	by := ballot{h.Source, v.ProposalID}
	defer func() { r.votes[by] = v }()
	last, voted := r.votes[by]
	return voted && last == v
}
