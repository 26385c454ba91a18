package otel

import (
	"fmt"

	"go.opentelemetry.io/otel/attribute"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// settlement returns the attributes of what kept the solve open: its obstacles, how its
// conflicts were settled, and how many agents challenged something.
func (o *Observer) settlement(r *solves.Result) []attribute.KeyValue {
	all := o.withheld(r.Obstacles)
	if len(r.Settled) > 0 {
		var hows []string
		for _, s := range r.Settled[:min(len(r.Settled), maxMentions)] {
			hows = append(hows, o.how(s.Payload.How))
		}
		all = append(all, keyHows.StringSlice(hows))
	}
	if g := r.Groupthink; g.Able > 1 {
		all = append(all, keyChallengers.Int(g.Actual), keyExpected.Float64(g.Expected), keyGroupthink.Float64(g.Risk))
	}
	return append(append(all, o.talk(r)...), o.standing(r)...)
}

// talk returns the attributes that compare what agents stood for before and after they
// heard each other.
func (o *Observer) talk(r *solves.Result) (all []attribute.KeyValue) {
	d := r.Talk()
	for key, s := range map[attribute.Key]solves.Split{keyBefore: d.Before, keyAfter: d.After} {
		if s.Agents > 1 {
			all = append(all, key.Float64(float64(s.Most)/float64(s.Agents)))
		}
	}
	if len(d.Flips) == 0 {
		return all
	}
	var flips []string
	for _, f := range d.Flips[:min(len(d.Flips), maxMentions)] {
		flips = append(flips, fmt.Sprintf("#%d %s from %s to %s", f.Seq, f.Agent, o.stand(f.From), o.stand(f.To)))
	}
	return append(all, keyFlips.StringSlice(flips))
}

// stand returns the recorded form of what an agent stands for.
func (o *Observer) stand(proposal string) string {
	if proposal == "" {
		return "none"
	}
	return o.proposal(proposal)
}

// maxCredited is the maximum number of voters for which credits are computed while a solve
// ends: the votes are counted once for each set of voters.
const maxCredited = 8

// standing returns the attributes of the grounds of a result's choice, and of the agents
// that moved it.
func (o *Observer) standing(r *solves.Result) (all []attribute.KeyValue) {
	for _, c := range r.Claims().Cases() {
		if c.Proposal.Proposal == r.Decision.Choice && r.Decision.Choice != "" {
			all = append(all, keyFor.Int(len(c.For)), keyAgainst.Int(len(c.Against)), keyObjections.Int(len(c.Objections)))
		}
	}
	if n := len(r.Retracted); n > 0 {
		all = append(all, keyRetracted.Int(n), keyFallen.Int(len(r.Fallen)))
	}
	if r.Decision.Choice == "" || r.Decision.Voters > maxCredited {
		return all
	}
	account, err := r.Credit(nil)
	if err != nil || len(account.Shares) == 0 {
		return all
	}
	var shares []string
	for _, s := range account.Shares[:min(len(account.Shares), maxMentions)] {
		shares = append(shares, fmt.Sprintf("%s %+.3f", s.Agent, s.Credit))
	}
	return append(all, keyCredit.StringSlice(shares))
}

// withheld returns the attribute of obstacles, if there are any. The summary of one is
// content.
func (o *Observer) withheld(open []coordination.Obstacle) []attribute.KeyValue {
	if len(open) == 0 {
		return nil
	}
	var texts []string
	for _, one := range open[:min(len(open), maxMentions)] {
		s := one.Signal
		text := fmt.Sprintf("%s: %s", one.Cause, place{seq: s.Seq, kind: s.Class.String(), source: s.Source})
		if o.content != nil {
			text = clip(o.content(s.Class.Message().Kind(), "summary", one.String()))
		}
		texts = append(texts, text)
	}
	return []attribute.KeyValue{keyObstacles.StringSlice(texts)}
}

// how returns how a conflict was settled: a program may give reasons of its own.
func (o *Observer) how(how conflict.How) string {
	switch how {
	case conflict.BySameness, conflict.ByMajority, conflict.ByDebate, conflict.ByAnswer, conflict.ByConsensus:
		return string(how)
	}
	return other
}
