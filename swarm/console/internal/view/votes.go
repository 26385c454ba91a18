package view

import (
	"cmp"
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// ballots are the votes of a solve as they were cast.
type ballots struct {
	list   []api.Vote
	ids    []signals.ID      // of the votes
	newest map[[2]string]int // by voter and proposal: index of the newest vote
	backs  map[string]int    // by voter: index of the newest vote that agrees
}

func newBallots() ballots { return ballots{newest: map[[2]string]int{}, backs: map[string]int{}} }

// cast takes the next vote, and returns it with the one that it changes.
func (b *ballots) cast(s *solve, v *signals.Signal[signals.Vote]) api.Vote {
	p := v.Payload
	id := p.ProposalID
	if of := s.Votes.Of(id); of != nil {
		id = of.ID()
	}
	vote := api.Vote{
		Seq: v.Seq, Round: int(v.Round), Voter: v.Source, Model: s.Turns.Model(v.Source, int(v.Round)), Proposal: id, Stance: p.Stance.String(), Weight: p.Weight,
		Reasoning: p.Reasoning, CausalLevel: levelOf(v.CausalLevel), Counts: true,
	}
	place := [2]string{v.Source, id}
	before, voted := b.newest[place]
	backed, backs := b.backs[v.Source]
	switch {
	case voted && b.list[before].Stance != vote.Stance:
		vote.Was = was(b.list[before])
	case p.Stance == signals.Agree && backs && b.list[backed].Proposal != id:
		vote.Was = was(b.list[backed])
	}
	b.list, b.ids = append(b.list, vote), append(b.ids, v.ID)
	b.newest[place] = len(b.list) - 1
	if p.Stance == signals.Agree {
		b.backs[v.Source] = len(b.list) - 1
	}
	return vote
}

// withdraw notes the votes that count no more since a signal: a retraction may be of any of them or of
// what they rest on, and so may a proposal that was voted on before; else only the vote itself may fall.
func (b *ballots) withdraw(s *solve, said signals.Any) {
	if !s.Withdrawn.Any() {
		return
	}
	from := len(b.list)
	switch said.Body().(type) {
	case signals.Retraction, signals.Proposal:
		from = 0
	case signals.Vote:
		from--
	}
	for i := from; i < len(b.list); i++ {
		if v := &b.list[i]; v.Out == 0 && !s.Withdrawn.Counts(b.ids[i]) {
			v.Out = said.Head().Seq
			b.again(v.Voter)
		}
	}
}

// again finds the newest votes of a voter that count.
func (b *ballots) again(voter string) {
	maps.DeleteFunc(b.newest, func(place [2]string, _ int) bool { return place[0] == voter })
	delete(b.backs, voter)
	for i, v := range b.list {
		if v.Voter != voter || v.Out != 0 {
			continue
		}
		b.newest[[2]string{voter, v.Proposal}] = i
		if v.Stance == signals.Agree.String() {
			b.backs[voter] = i
		}
	}
}

func was(v api.Vote) *api.Was {
	return &api.Was{Seq: v.Seq, Proposal: v.Proposal, Stance: v.Stance, Weight: v.Weight}
}

func levelOf(l signals.CausalLevel) string {
	if l == 0 {
		return ""
	}
	return l.String()
}

// after returns the votes after a position; of each voter the newest on a proposal counts that was
// not taken back.
func (b *ballots) after(seq uint64) []api.Vote {
	all := since(b.list, seq, func(v api.Vote) uint64 { return v.Seq })
	first := len(b.list) - len(all)
	for i := range all {
		newest, counts := b.newest[[2]string{all[i].Voter, all[i].Proposal}]
		all[i].Counts = counts && newest == first+i
	}
	return all
}

// count makes the votes count by the newest terms.
func (s *solve) count() {
	terms := s.Terms()
	if terms == nil || terms == s.counted {
		return
	}
	by := cmp.Or[consensus.Strategy](terms.By, consensus.Default())
	if s.Votes.CountBy(by, terms.Options, terms.Weights) == nil {
		s.counted, s.now = terms, s.decision()
		s.need = needOf(s.now)
	}
}

func needOf(d consensus.Decision) need {
	b := d.Ballots()
	return need{b.Threshold(), b.Quorum()}
}

// decision returns the decision on the votes as they are, or that of a solve that stopped: the
// one on record, or the one by what is left since something was taken back.
func (s *solve) decision() consensus.Decision {
	switch {
	case s.revised != nil:
		return s.revised.Decision
	case s.Stage.Decided != nil:
		return s.Last
	}
	return s.Votes.Round().Decision()
}

// step returns the support after a signal, if that may have changed.
func (s *solve) step(said signals.Any) (step api.Step, ok bool) {
	if s.Votes.Round() == nil {
		return step, false
	}
	switch said.Body().(type) {
	case signals.Vote, signals.Proposal, signals.Retraction, runlog.Same, runlog.Answered, runlog.Decided:
	default:
		if said.Kind() != conflict.KindResolved {
			return step, false
		}
	}
	s.now = s.decision()
	if s.Stage.Decided != nil {
		s.need = needOf(s.now) // the quorum may be another one than at the beginning
	}
	d := s.now
	return api.Step{
		Seq: said.Head().Seq, Support: supports(s.Thread.Thread, d), None: d.None, Leader: d.Leader(), Confidence: d.Confidence,
		Outcome: d.Outcome.String(), Voters: d.Voters,
	}, true
}

// supports returns the support of each proposal that has some: in a mode by its shares, else for
// those that do not lead in the same ratio to what speaks for them as for the leader.
func supports(t *runlog.Thread, d consensus.Decision) map[string]float64 {
	all := map[string]float64{}
	if plan := t.Calls.Plan(); plan != nil && d.Strategy == plan.Mode.String() {
		return plan.Shares(t.Calls.All())
	}
	if len(d.Leaders) == 0 {
		return all
	}
	tallies := d.Tallies()
	speaks := func(t consensus.Tally) float64 {
		switch d.Strategy {
		case consensus.Voting{}.Name():
			return float64(t.Agree)
		case consensus.ConfidenceWeighted{}.Name(), consensus.Hierarchical{}.Name(), consensus.Entropy{}.Name():
			return t.For
		}
		return t.Probability
	}
	var ratio float64
	for _, t := range tallies {
		if t.ProposalID == d.Leaders[0] && speaks(t) > 0 {
			ratio = d.Support / speaks(t)
		}
	}
	for _, t := range tallies {
		if share := min(1, speaks(t)*ratio); share > 0 {
			all[t.ProposalID] = share
		}
	}
	for _, id := range d.Leaders {
		all[id] = d.Support
	}
	return all
}

// proposals returns the proposals with their counts.
func (s *solve) proposals() []api.Proposal {
	all := []api.Proposal{}
	var d consensus.Decision
	if s.Votes.Round() != nil {
		d = s.decision()
	}
	tallies, support := d.Tallies(), supports(s.Thread.Thread, d)
	for i, p := range s.Votes.Show("") {
		of := api.Proposal{
			ID: p.ID(), Letter: letter(i), Seq: p.Proposal.Seq, Round: int(p.Proposal.Round), By: p.Supporters(),
			Content: p.Proposal.Payload.Content, Reasoning: p.Proposal.Payload.Reasoning, Lost: p.Lost, Support: support[p.ID()],
		}
		for _, same := range p.Same {
			if id := same.Payload.ProposalID; id != p.ID() && !slices.Contains(of.Aliases, id) {
				of.Aliases = append(of.Aliases, id)
			}
		}
		for _, t := range tallies {
			if t.ProposalID == p.ID() {
				of.Agree, of.Disagree, of.Abstain, of.For, of.Against, of.Probability = t.Agree, t.Disagree, t.Abstain, t.For, t.Against, t.Probability
			}
		}
		all = append(all, of)
	}
	return all
}

// letter returns A to Z, AA to ZZ, and so on.
func letter(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return letter(i/26-1) + letter(i%26)
}

func (s *solve) terms() api.Terms {
	of := api.Terms{Threshold: consensus.DefaultThreshold}
	t := s.Terms()
	if t == nil {
		return of
	}
	of = api.Terms{Strategy: t.Strategy, Threshold: t.Threshold, Quorum: t.Quorum, Electorate: t.Electorate}
	if t.By != nil {
		of.Strategy = t.By.Name()
	}
	of.Threshold = cmp.Or(of.Threshold, consensus.DefaultThreshold)
	if plan := s.Calls.Plan(); plan != nil {
		of.Strategy, of.Reason = plan.Mode.String(), plan.Reason
	}
	if r := s.Votes.Round(); r != nil {
		of.Quorum, of.Learns = r.Ballots().Quorum(), s.decision().Learned
	}
	return of
}
