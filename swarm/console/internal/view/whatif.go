package view

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// errNoTerms is returned for a solve whose log has no terms of decision.
var errNoTerms = fmt.Errorf("view: the log does not have the terms of the solve")

// whatIf decides on the votes up to a position by every strategy at every threshold. The
// votes count as the solve's terms say otherwise: with the same quorum, electorate and
// reliabilities, with proposals that lost a conflict left out, and with voting closed if it
// was.
func (s *solve) whatIf(at uint64, thresholds []float64) (of api.WhatIf, err error) {
	terms := s.Terms()
	if terms == nil || s.Votes.Round() == nil {
		return of, errNoTerms
	}
	then := s.until(at)
	by := cmp.Or[consensus.Strategy](terms.By, consensus.Default())
	if s.Calls.Plan() != nil {
		by, _ = s.Votes.Terms()
	}
	closed := s.Stage.Decided != nil && s.Stage.Decided.Payload.Closed && then == s.Thread.Thread
	decide := func(by consensus.Strategy, threshold float64) (consensus.Decision, error) {
		return decideBy(then, terms, by, threshold, closed, s.Votes.Round().Ballots().Quorum())
	}
	actual, err := decide(by, terms.Options.Threshold)
	if err != nil {
		return of, err
	}
	own := actual.Ballots().Threshold()
	if s.Stage.Decided != nil && s.Calls.Plan() == nil && then == s.Thread.Thread {
		actual = s.decision()
	}
	of = api.WhatIf{At: then.Log[len(then.Log)-1].Head().Seq, Actual: cell(then, actual, own), Proposals: s.proposals()}
	of.Actual.Same = true
	if len(thresholds) == 0 {
		thresholds = []float64{0.5, 0.6, 0.7, 0.8, 0.9, own}
	}
	of.Thresholds = slices.Compact(slices.Sorted(slices.Values(thresholds)))
	strategies := consensus.Builtin()
	if !slices.ContainsFunc(strategies, func(b consensus.Strategy) bool { return b.Name() == by.Name() }) {
		strategies = append([]consensus.Strategy{by}, strategies...)
	}
	for _, by := range strategies {
		row := api.WhatRow{Strategy: by.Name(), Cells: []api.Cell{}}
		for _, threshold := range of.Thresholds {
			d, err := decide(by, threshold)
			if err != nil {
				return of, err
			}
			c := cell(then, d, threshold)
			c.Same = c.Outcome == of.Actual.Outcome && c.Choice == of.Actual.Choice
			row.Support, row.None, row.Cells = supports(then, d), d.None, append(row.Cells, c)
		}
		of.Strategies = append(of.Strategies, row)
	}
	return of, nil
}

// until returns the thread as it was at a position; 0: as it is.
func (s *solve) until(at uint64) *runlog.Thread {
	if at == 0 || at >= s.Log[len(s.Log)-1].Head().Seq {
		return s.Thread.Thread
	}
	then := runlog.New(s.Name)
	for i, said := range s.Log {
		if i > 0 && said.Head().Seq > at {
			break
		}
		then.Apply(said)
	}
	return then
}

func decideBy(t *runlog.Thread, terms *replay.Terms, by consensus.Strategy, threshold float64, closed bool, quorum int) (d consensus.Decision, err error) {
	o := *terms.Options
	o.Threshold = threshold
	votes, err := t.Votes.CountedBy(by, &o, terms.Weights)
	if err != nil {
		return d, err
	}
	if plan := t.Calls.Plan(); plan != nil && by.Name() != plan.Mode.String() { // the same votes, decided otherwise
		of := votes.Ballots()
		if votes, err = consensus.NewRound(by, &o); err != nil {
			return d, err
		}
		for _, id := range of.Proposals() {
			if err := votes.Propose(id); err != nil {
				return d, err
			}
		}
		for vote := range of.Votes() {
			if err := votes.Vote(vote); err != nil {
				return d, err
			}
		}
	}
	votes.SetQuorum(quorum)
	if closed {
		votes.Close()
	}
	return votes.Decision(), nil
}

// cell returns a decision at a threshold.
func cell(t *runlog.Thread, d consensus.Decision, threshold float64) api.Cell {
	c := api.Cell{
		Strategy: d.Strategy, Threshold: threshold, Outcome: d.Outcome.String(), Choice: d.Choice, Leader: d.Leader(),
		Support: d.Support, Withheld: t.Withholds(d),
	}
	if d.Voters > 0 { // without voters there is no probability
		c.Confidence = d.Confidence
	}
	return c
}
