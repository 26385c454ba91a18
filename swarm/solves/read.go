package solves

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A reader is what a log says of its agents.
type reader struct {
	thread *runlog.Thread // of the whole log
	back   map[signals.ID]bool
	ask    map[int32]agents.Ask // by round
	said   []signals.Any        // proposals and votes so far
	by     map[string]*agent
	order  []*agent // of their first signals or turns
	flips  []Flip
}

// An agent is how an agent stands, and what it has heard.
type agent struct {
	name    string
	through uint64   // its last turn began after it had heard so far
	waiting []uint64 // but for these
	began   bool     // a turn did; otherwise it has heard everything
	open    bool     // there is a turn
	heard   bool     // a proposal of another one, when a turn began

	round           int32  // of the turn of the fields below
	alone           bool   // the turn is independent
	agrees, opposes []vote // in it
	stand           vote   // after the turns before
	was             vote   // the last stand that was one
	early           vote   // the first stand, if it is independent
}

// A vote is for or against a proposal. As a stand it is for the proposal; the zero vote is no
// stand.
type vote struct {
	seq    uint64
	of     signals.ID
	id     string // under which the proposal counts; of a stand, "" is none of them
	weight float64
}

func (a *agent) first() vote { return a.early }
func (a *agent) last() vote  { return a.stand }

// readTalk reads a log of one thread.
func readTalk(log []signals.Any) *reader {
	r := &reader{thread: runlog.New(""), back: map[signals.ID]bool{}, ask: map[int32]agents.Ask{}, by: map[string]*agent{}}
	if len(log) > 0 {
		r.thread = runlog.New(log[0].Head().Thread)
	}
	for _, s := range log {
		r.thread.Apply(s)
	}
	for _, s := range r.thread.Withdrawn.Said {
		r.back[s.ID] = true
	}
	for _, s := range r.thread.Log {
		r.take(s)
	}
	for _, a := range r.order {
		r.settle(a)
	}
	return r
}

// of returns the agent of that name.
func (r *reader) of(name string) *agent {
	a := r.by[name]
	if a == nil {
		a = &agent{name: name}
		r.by[name], r.order = a, append(r.order, a)
	}
	return a
}

func (r *reader) take(s signals.Any) {
	switch s := s.(type) {
	case *signals.Signal[runlog.Began]:
		r.begin(s)
	case *signals.Signal[signals.Proposal]:
		if r.planned() && r.ask[s.Round] == agents.AskAnswer {
			r.agree(s.Header, s.Payload.ProposalID, s.Confidence)
		}
		r.said = append(r.said, s)
	case *signals.Signal[signals.Vote]:
		r.vote(s)
		r.said = append(r.said, s)
	case *signals.Signal[signals.Retraction]:
		if r.back[s.ID] {
			for _, a := range r.order {
				a.leave(func(v vote) bool { return v.of == s.Payload.TargetSignalID })
			}
		}
	}
}

func (r *reader) planned() bool { return r.thread.Calls.Plan() != nil }

// id returns the id under which a proposal counts; "" if nobody makes it.
func (r *reader) id(proposal string) string {
	if p := r.thread.Votes.Of(proposal); p != nil {
		return p.ID()
	}
	return ""
}

// begin notes what the agents of a round have heard.
func (r *reader) begin(s *signals.Signal[runlog.Began]) {
	r.ask[s.Round] = s.Payload.Ask
	turns, _ := s.Payload.All() // checked when it was published
	for _, t := range turns {
		a := r.of(t.Agent)
		r.settle(a)
		a.round, a.began, a.open = s.Round, true, true
		a.through, a.waiting = t.Through, t.Waiting
		a.heard = a.heard || !r.planned() && r.hears(a, signals.KindProposal)
		a.alone = r.alone(a)
	}
}

// alone reports whether a turn that begins is independent.
func (r *reader) alone(a *agent) bool {
	if plan := r.thread.Calls.Plan(); plan != nil && plan.Has(a.name) {
		return r.ask[a.round] != agents.AskVerdict
	}
	return !r.hears(a, signals.KindProposal, signals.KindVote)
}

// hears reports whether an agent has heard anything of some kinds from another one.
func (r *reader) hears(a *agent, kinds ...signals.Kind) bool {
	return slices.ContainsFunc(r.said, func(s signals.Any) bool {
		h := s.Head()
		heard := !a.began || h.Seq <= a.through && !slices.Contains(a.waiting, h.Seq)
		return heard && h.Source != a.name && slices.Contains(kinds, s.Kind())
	})
}

// turn returns the agent of a signal, in the turn that the signal is of.
func (r *reader) turn(h signals.Header) *agent {
	a := r.of(h.Source)
	if a.round != h.Round || !a.open {
		r.settle(a)
		a.round, a.open = h.Round, true
		a.alone = r.alone(a)
	}
	return a
}

// vote notes what an agent says of a proposal.
func (r *reader) vote(s *signals.Signal[signals.Vote]) {
	switch p := s.Payload; p.Stance {
	case signals.Agree:
		r.agree(s.Header, p.ProposalID, cmp.Or(p.Weight, s.Confidence))
	case signals.Disagree:
		if a := r.turn(s.Header); r.id(p.ProposalID) != "" {
			v := vote{seq: s.Seq, of: s.ID, id: r.id(p.ProposalID)}
			a.agrees, a.opposes = slices.DeleteFunc(a.agrees, v.same), append(a.opposes, v)
		}
	default:
		r.turn(s.Header).leave(vote{id: r.id(p.ProposalID)}.same)
	}
}

// agree notes that an agent agrees with a proposal.
func (r *reader) agree(h signals.Header, proposal string, weight float64) {
	if v := (vote{h.Seq, h.ID, r.id(proposal), weight}); v.id != "" {
		a := r.turn(h)
		a.agrees = append(a.agrees, v)
	}
}

func (v vote) same(w vote) bool { return v.id == w.id }

// leave has an agent give up what it said of a proposal.
func (a *agent) leave(is func(vote) bool) {
	a.agrees, a.opposes = slices.DeleteFunc(a.agrees, is), slices.DeleteFunc(a.opposes, is)
	if a.stand.id != "" && is(a.stand) {
		a.stand = vote{}
	}
}

// settle ends the turn of an agent.
func (r *reader) settle(a *agent) {
	now := a.stands()
	a.agrees, a.opposes = nil, nil
	if now == a.stand {
		return
	}
	switch {
	case a.was.seq == 0 && a.alone:
		a.early = now
	case a.was.seq > 0 && a.was.id != now.id:
		r.flips = append(r.flips, Flip{now.seq, a.name, int(a.round), a.was.id, now.id, a.alone})
	}
	a.stand, a.was = now, now
}

// stands returns how the agent stands after its turn: for what it agrees with most, or for
// none of what it has judged, or as before.
func (a *agent) stands() vote {
	if len(a.agrees) > 0 {
		return slices.MaxFunc(a.agrees, func(x, y vote) int {
			return cmp.Or(cmp.Compare(x.weight, y.weight), rank(x.id == a.stand.id)-rank(y.id == a.stand.id))
		})
	}
	for _, v := range a.opposes {
		if a.stand.seq == 0 || v.id == a.stand.id {
			return vote{seq: v.seq, of: v.of}
		}
	}
	return a.stand
}

func rank(is bool) int {
	if is {
		return 1
	}
	return 0
}

// split counts how agents stand.
func (r *reader) split(stand func(*agent) vote) (s Split) {
	n := map[string]int{}
	for _, a := range r.order {
		if v := stand(a); v.seq > 0 {
			n[v.id]++
			s.Agents++
		}
	}
	s.Most = n[""]
	for _, p := range r.thread.Votes.Show("") {
		if n[p.ID()] > s.Most {
			s.Most, s.For = n[p.ID()], p.ID()
		}
	}
	return s
}

// able returns how many agents could challenge something.
func (r *reader) able() (n int) {
	for _, a := range r.order {
		if a.heard || slices.Contains(r.thread.Debates.Challengers, a.name) {
			n++
		}
	}
	return n
}
