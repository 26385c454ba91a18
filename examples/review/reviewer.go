package main

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/examples/review/inspect"
	"github.com/swarmbus/swarmbus/signals"
)

// The two answers that a review can have.
const (
	approve        = "approve"
	requestChanges = "request-changes"
)

// most is how many findings or arguments a reviewer tells in a turn.
const most = 12

// A reviewer is one inspector as an agent: a function of its turn.
//
//   - In the first round it says what it found, or that it found nothing and
//     what it could not look at.
//   - In the second it says what it knows about what others found, and proposes
//     an answer if that is up to it.
//   - When the answer that the evidence asks for is proposed, it votes, by its
//     own evidence alone.
type reviewer struct {
	*desk
	inspector inspect.Inspector
}

// React implements [agents.Reactor].
func (r reviewer) React(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	if t.Round == 1 {
		return agents.Emit(r.report(t)...)
	}
	log := slices.Concat(t.Heard, t.Said, t.New)
	slices.SortFunc(log, func(a, b signals.Any) int { return cmp.Compare(a.Head().Seq, b.Head().Seq) })
	claims := r.claims(log)
	var say []signals.Any
	if t.Round == 2 {
		say = r.argue(log)
	}
	answer := wanted(claims)
	switch _, proposed := t.Standing(answer); {
	case proposed:
		say = append(say, r.vote(t, claims)...)
	case r.leads(answer, claims):
		say = append(say, r.propose(answer, claims))
	}
	return agents.Emit(say...)
}

// wanted is the answer that the evidence asks for as it stands.
func wanted(claims []inspect.Claim) string {
	if slices.ContainsFunc(claims, inspect.Claim.Stands) {
		return requestChanges
	}
	return approve
}

func (r reviewer) track() inspect.Track { return r.tracks[r.inspector.Name] }

// report is what the reviewer found, or that it found nothing.
func (r reviewer) report(t *agents.Turn) []signals.Any {
	var say []signals.Any
	for _, f := range r.findings {
		if f.Inspector != r.inspector.Name {
			continue
		}
		h, relevance := signals.Header{ID: t.NewID(), Confidence: r.track().Right}, 1.0
		if f.Grade == inspect.Concern {
			h.Confidence, relevance = 0, 0.5 // nobody has measured how often a concern is right
		}
		if len(say) < most {
			say = append(say, signals.New(h, signals.Discovery{Finding: f.String(), Evidence: f.Evidence(3), Relevance: relevance}))
		}
	}
	if v := r.judge(nil); say == nil {
		say = append(say, signals.New(signals.Header{Confidence: v.Weight}, signals.Discovery{Finding: v.Reason}))
	}
	return say
}

func (r reviewer) judge(claims []inspect.Claim) inspect.Verdict {
	return inspect.Judge(r.p, r.inspector.Name, r.track(), claims)
}

// argue says what the reviewer knows about what others found: what makes it
// worse is a discovery, what eases it a challenge.
func (r reviewer) argue(log []signals.Any) []signals.Any {
	var say []signals.Any
	for _, s := range log {
		said, _ := words(s)
		f, _ := r.finding(said)
		target := s.Head().ID
		for _, a := range inspect.Debate(r.p, f) {
			if a.Inspector != r.inspector.Name {
				continue
			}
			h := signals.Header{ReplyTo: target, Confidence: 1} // the code shows it
			if a.Effect == inspect.Worsens {
				say = append(say, signals.New(h, signals.Discovery{Finding: a.String(), Relevance: 1}))
			} else {
				say = append(say, signals.New(h, signals.Challenge{TargetSignalID: target, CounterArgument: a.String()}))
			}
		}
	}
	return say[:min(len(say), most)]
}

// leads says whether it is up to the reviewer to propose an answer: changes to
// whoever found the first thing that asks for them, approval to the first that
// has found nothing.
func (r reviewer) leads(answer string, claims []inspect.Claim) bool {
	if answer == requestChanges {
		i := slices.IndexFunc(claims, inspect.Claim.Stands)
		return claims[i].Finding.Inspector == r.inspector.Name
	}
	for _, i := range r.p.Inspectors() {
		own := func(c inspect.Claim) bool { return c.Finding.Inspector == i.Name }
		if looked, _ := r.p.Looked(i.Name); looked > 0 && !slices.ContainsFunc(claims, own) {
			return i.Name == r.inspector.Name
		}
	}
	return r.inspector.Name == r.p.Inspectors()[0].Name
}

func (r reviewer) propose(answer string, claims []inspect.Claim) signals.Any {
	v := r.judge(claims)
	if answer == approve {
		return agents.Propose(approve, "Approve package "+r.p.Name, v.Weight, inspect.Merits(r.p, claims))
	}
	return agents.Propose(requestChanges, "Request changes to package "+r.p.Name, v.Weight, inspect.Wishes(claims))
}

// vote says once what the reviewer makes of each proposal; an abstention goes to
// the wanted one.
func (r reviewer) vote(t *agents.Turn, claims []inspect.Claim) []signals.Any {
	v := r.judge(claims)
	side := approve
	if v.Stance == inspect.RequestChanges {
		side = requestChanges
	}
	var say []signals.Any
	for _, p := range t.Proposals {
		switch {
		case p.VoteOf(r.inspector.Name) != nil:
		case v.Stance == inspect.Abstain && p.Is(wanted(claims)):
			say = append(say, agents.Abstain(p.ID(), 1, v.Reason))
		case v.Stance == inspect.Abstain:
		case p.Is(side):
			say = append(say, agents.Agree(p.ID(), v.Weight, v.Reason))
		default:
			say = append(say, agents.Disagree(p.ID(), v.Weight, v.Reason))
		}
	}
	return say
}
