package runlog

import (
	"cmp"
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// Votes are the proposals of a thread with the votes on them, equal proposals as one.
// A round of a consensus counts them once [Votes.CountBy] was called.
type Votes struct {
	made          []*signals.Signal[signals.Proposal]
	cast          []*signals.Signal[signals.Vote]
	aliases       map[string]string // proposal id to the id of an equal earlier one
	values        *values           // of the task
	answers       []string          // sources of answers, which become voters
	answered      []uint64          // where they are in the log
	settled       []settlement
	rule          int               // of the terms: see [Rule]
	yields        map[string]uint64 // by voter: see settle.Yields
	changes       int
	waited, moved bool       // votes on the newest signal, a proposal, were there before it; the plan may decide otherwise since it last did
	counted       signals.ID // the newest vote or answer on a proposal that was made
	all           *standings
	calls         *Calls
	out           *Withdrawn
	turns         *Turns
	models        map[string]string // by voter: the model that answered in its own one's place when it last voted
	polled        mode.Poll
	seats
	first bool // no vote is a move
	log   func() []signals.Any

	by      consensus.Strategy
	options *consensus.Options
	weights map[string]float64
	quorum  int // 0: that of the options
	round   *consensus.Round
	err     error
}

func (v *Votes) init(c *Calls, out *Withdrawn, turns *Turns, log func() []signals.Any) {
	v.aliases, v.all, v.calls, v.out, v.turns, v.log, v.rule, v.seats = map[string]string{}, newStandings(v.key), c, out, turns, log, Rule, newSeats()
}

// CountBy makes the votes count by a strategy with options, nil for the defaults of both;
// weights are factors on voters' votes, and 1 for voters that have none. It may be called
// again.
func (v *Votes) CountBy(by consensus.Strategy, o *consensus.Options, weights map[string]float64) error {
	v.by, v.options, v.weights, v.quorum = by, v.withAnswers(cmp.Or(o, &consensus.Options{})), weights, 0
	return v.recount()
}

// CountedBy returns the votes counted anew, without an effect on v: see CountBy.
func (v *Votes) CountedBy(by consensus.Strategy, o *consensus.Options, weights map[string]float64) (*consensus.Round, error) {
	again := Votes{made: v.made, cast: v.cast, aliases: v.aliases, values: v.values, answers: v.answers, answered: v.answered, settled: v.settled, calls: v.calls, out: v.out, turns: v.turns, rule: v.rule, log: v.log, seats: seats{checks: v.checks}}
	err := again.CountBy(by, o, weights)
	return again.round, err
}

// Stated returns what the votes were said to count by. A plan decides instead of the strategy.
func (v *Votes) Stated() (consensus.Strategy, *consensus.Options) {
	if plan := v.calls.Plan(); plan != nil {
		return consensus.Func(plan.Mode.String(), v.decide), v.options
	}
	return v.by, v.options
}

// Terms returns what the votes count by: as stated, with what settlements leave, and with voters
// whose model did not answer in the group of the one that did.
func (v *Votes) Terms() (consensus.Strategy, *consensus.Options) {
	by, o := v.Stated()
	o = v.regrouped(o)
	if v.yielding() || len(v.settled) == 0 {
		return by, o
	}
	return settle.Strategy{Of: by, Ends: v.settlements()}, o
}

// Round returns the votes as they are counted. Later signals change it, or make
// another; it is nil before CountBy.
func (v *Votes) Round() *consensus.Round {
	if v.round != nil && v.moved && v.calls.Plan() != nil {
		v.round.SetQuorum(cmp.Or(v.quorum, v.options.Quorum, consensus.DefaultQuorum)) // decide anew: answers that are no votes count for the plan
		v.moved = false
	}
	return v.round
}

// SetQuorum sets the number of voters required until the next CountBy. It panics before
// the first one.
func (v *Votes) SetQuorum(n int) {
	v.quorum = n
	v.round.SetQuorum(n)
}

// Quorum returns what SetQuorum set since CountBy; 0: nothing.
func (v *Votes) Quorum() int { return v.quorum }

// Err returns the first error of a proposal or vote that was not accepted.
func (v *Votes) Err() error { return v.err }

// Of returns the proposal with that id, or that of an equal one; nil if there is none.
func (v *Votes) Of(id string) *agents.Standing { return v.all.Of(id) }

// Content returns what the proposal with that id, or an equal one, says; "" if there is none.
func (v *Votes) Content(id string) string {
	if p := v.Of(id); p != nil {
		return p.Proposal.Payload.Content
	}
	return ""
}

// Len returns the number of proposals, equal ones counted once.
func (v *Votes) Len() int { return len(v.all.All) }

// Show returns the proposals with their votes as far as they are for that agent; ""
// means all of them. The caller may keep the slice, but not modify it.
func (v *Votes) Show(agent string) []agents.Standing { return v.all.Show(agent) }

// Made returns every proposal, in log order. The slice is shared.
func (v *Votes) Made() []*signals.Signal[signals.Proposal] { return v.made }

func (v *Votes) apply(s signals.Any) {
	var err error
	v.waited, v.moved = false, v.moved || s.Kind() != signals.KindConflict
	switch s := s.(type) {
	case *signals.Signal[signals.Task]:
		if len(v.log()) == 1 {
			v.values = valuesOf(s.Payload)
		}
		return
	case *signals.Signal[signals.Proposal]:
		if _, wrong := v.Value(s.Payload.Content); wrong != nil {
			return // the swarm admits none, and others cannot make it a choice
		}
		v.made = append(v.made, s)
		err = v.propose(s)
		if answer := v.calls.Vote(s); answer != nil {
			err = cmp.Or(err, v.take(answer))
		}
	case *signals.Signal[signals.Vote]:
		err = v.take(s)
	case *signals.Signal[Planned]:
		err = v.recount()
	case *signals.Signal[Same]:
		v.aliases[s.Payload.ProposalID] = s.Payload.As
		err = v.recount()
	case *signals.Signal[conflict.Resolution]:
		if s.Payload.Loser().IsZero() || s.Payload.How == conflict.ByConsensus {
			return // a consensus follows from the votes: it does not change them
		}
		v.settled = append(v.settled, settlement{s.Payload.Loser(), s.Payload.Winner, s.Payload.How, s.Seq})
		err = v.recount()
	case *signals.Signal[Opened]:
		t, err := s.Payload.Of()
		if err != nil || t.Name != Learner || v.rule == t.Rule {
			return
		}
		v.rule = t.Rule
		v.err = cmp.Or(v.err, v.recount())
	case *signals.Signal[Answered]:
		v.answers, v.answered = append(v.answers, s.Payload.By), append(v.answered, s.Seq)
		before := v.options
		if before != nil {
			v.options = v.withAnswers(before)
		}
		if v.options == before && v.calls.Plan() == nil {
			return
		}
		err = v.recount()
	default:
		return
	}
	v.changes++
	v.err = cmp.Or(v.err, err)
}

func (v *Votes) propose(p *signals.Signal[signals.Proposal]) error {
	id := p.Payload.ProposalID
	v.waited = v.all.Of(id) == nil && v.all.Waits(id)
	v.all.Propose(p, v.aliases[id])
	if v.waited {
		return v.recount() // there were already votes on it
	}
	if own := v.all.Of(id); own.ID() == id {
		return v.enter(own)
	}
	return nil
}

// enter makes a proposal one that can be chosen, unless it has lost.
func (v *Votes) enter(p *agents.Standing) error {
	if v.round == nil || p.Lost && v.yielding() {
		return nil
	}
	return Fold(v.round, p.Proposal, 1)
}

// take takes the next vote. One by another model than the voter's last may change its group.
func (v *Votes) take(s *signals.Signal[signals.Vote]) error {
	v.cast = append(v.cast, s)
	if v.modelOf(s) != v.models[s.Source] {
		return v.recount()
	}
	return v.vote(s)
}

func (v *Votes) modelOf(s *signals.Signal[signals.Vote]) string {
	return v.turns.Model(s.Source, int(s.Round))
}

// regroup finds the models that answered in place of voters' own when they voted last.
func (v *Votes) regroup() {
	v.models = nil
	for _, s := range v.cast {
		if model := v.modelOf(s); v.out.Counts(s.ID) && model != v.models[s.Source] {
			if v.models == nil {
				v.models = map[string]string{}
			}
			v.models[s.Source] = model
		}
	}
}

// regrouped returns the options with the models that answered as groups of their voters.
func (v *Votes) regrouped(o *consensus.Options) *consensus.Options {
	more := o
	for voter, model := range v.models {
		if model == "" || o == nil {
			continue
		}
		if more == o {
			more = new(*o)
			more.Groups = map[string]string{}
			for _, other := range o.Electorate { // each that has no group is one of its own
				more.Groups[other] = other
			}
			maps.Copy(more.Groups, o.Groups)
		}
		more.Groups[voter] = model
	}
	return more
}

func (v *Votes) vote(s *signals.Signal[signals.Vote]) error {
	if s = v.poll(s); s == nil || v.keeps(s) {
		return nil
	}
	id, ok := v.all.Vote(s)
	on := v.all.Of(id)
	if ok && on != nil {
		v.counted = s.ID
	}
	if !ok || v.round == nil || on != nil && on.Lost && v.yielding() {
		return nil
	}
	weight, known := v.weights[s.Source]
	if !known {
		weight = 1
	}
	counted := s.Payload
	if counted.ProposalID = id; s.Seq < v.yields[s.Source] {
		counted.Stance = signals.Abstain
	}
	return Fold(v.round, signals.New(s.Header, counted), weight)
}

// recount counts anew, the proposals first, so that no vote precedes its proposal.
func (v *Votes) recount() (err error) {
	v.regroup()
	checks := v.checks
	v.all, v.polled, v.seats = newStandings(v.key), mode.Poll{}, newSeats()
	v.checks = checks
	for _, p := range v.made {
		v.all.Propose(v.out.stated(p), v.aliases[p.Payload.ProposalID])
	}
	if v.options != nil {
		by, options := v.Terms()
		if v.round, err = consensus.NewRound(by, options); err != nil {
			return err
		}
		if v.quorum > 0 {
			v.round.SetQuorum(v.quorum)
		}
	}
	v.settle()
	for i := range v.all.All {
		if err := v.enter(&v.all.All[i]); err != nil {
			return err
		}
	}
	for _, s := range v.cast {
		if err := v.vote(s); err != nil {
			return err
		}
	}
	return v.abstain()
}

// withAnswers returns the options with the sources of answers among the voters.
func (v *Votes) withAnswers(o *consensus.Options) *consensus.Options {
	for _, voter := range v.answers {
		if o.Electorate != nil && !slices.Contains(o.Electorate, voter) {
			more := *o
			more.Electorate = append(slices.Clone(o.Electorate), voter)
			o = &more
		}
	}
	return o
}
