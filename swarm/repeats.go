package swarm

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// Repeats finds signals with which an agent says again what it has said: a vote with
// the stance and weight of its last one, whatever the reasons, a proposal of the same
// content, or an equal signal of another kind. Nobody takes a turn because of one.
type repeats struct {
	found map[signals.ID]bool
	votes map[ballot]signals.Vote // without reasons, by the id that they count under
	said  map[saying]bool
}

// A saying is what a source has said to some recipients.
type saying struct {
	source, to string
	what       signals.Payload
}

func newRepeats() repeats {
	return repeats{map[signals.ID]bool{}, map[ballot]signals.Vote{}, map[saying]bool{}}
}

// add takes the next signal of the log. The proposals are those before it.
func (r *repeats) add(s signals.Any, before *standings) {
	if h := s.Head(); r.repeats(h, s, before) {
		r.found[h.ID] = true
	}
}

// repeats reports whether a signal is a repetition. What the system says about one,
// such as a conflict, is one too.
func (r *repeats) repeats(h signals.Header, s signals.Any, before *standings) bool {
	if h.Source == bus.System {
		return r.found[h.ReplyTo]
	}
	what := s.Body()
	switch p := what.(type) {
	case signals.Vote:
		return r.vote(h, p, before)
	case signals.Proposal:
		what = signals.Proposal{Content: normal(p.Content)}
	}
	if !reflect.ValueOf(what).Comparable() {
		return false
	}
	said := saying{h.Source, strings.Join(h.Recipients.Names(), "\x00"), what}
	defer func() { r.said[said] = true }()
	return r.said[said]
}

func (r *repeats) vote(h signals.Header, v signals.Vote, before *standings) bool {
	if p := before.of(v.ProposalID); p != nil {
		v.ProposalID = p.ID()
	}
	v.Weight, v.Reasoning = cmp.Or(v.Weight, h.Confidence), ""
	by := ballot{h.Source, v.ProposalID}
	defer func() { r.votes[by] = v }()
	last, voted := r.votes[by]
	return voted && last == v
}

// isNews reports whether a signal is a reason for a turn.
func (r *solve) isNews(s signals.Any) bool { return !r.repeats.found[s.Head().ID] }
