package main

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/examples/review/inspect"
	"github.com/swarmbus/swarmbus/signals"
)

// The two answers that a review can have.
const (
	approve        = "approve"
	requestChanges = "request-changes"
)

// A reviewer is one analyser as an agent, for one review. It hears the task
// and says what it finds; hears discoveries and argues with those it knows
// better; hears proposals and votes; hears votes and may change its mind.
type reviewer struct {
	*desk
	inspector   inspect.Inspector
	personality agents.Personality

	claims    []*held // what it has found or heard, in order
	byID      map[signals.ID]*held
	proposals map[string]signals.ID
	proposed  bool
	verdict   inspect.Verdict // zero before it has voted
	votes     map[string]signals.Vote
	wavered   bool
}

// held is a claim that the reviewer knows of.
type held struct {
	said      string
	finding   inspect.Finding
	arguments []inspect.Argument
}

func newReviewer(d *desk, i inspect.Inspector, p agents.Personality) *reviewer {
	return &reviewer{
		desk: d, inspector: i, personality: p,
		byID: map[signals.ID]*held{}, proposals: map[string]signals.ID{}, votes: map[string]signals.Vote{},
	}
}

func (r *reviewer) canEmit() []signals.Kind {
	kinds := []signals.Kind{signals.KindDiscovery, signals.KindDoubt, signals.KindChallenge, signals.KindVote}
	if r.leads() {
		kinds = append(kinds, signals.KindProposal)
	}
	return kinds
}

func (r *reviewer) leads() bool {
	return r.inspector.Name == boldest() || r.inspector.Name == mostCautious()
}

// react is an [agents.Each].
func (r *reviewer) react(ctx context.Context, s signals.Any) iter.Seq2[signals.Any, error] {
	var say []signals.Any
	switch s := s.(type) {
	case *signals.Signal[signals.Task]:
		say = r.findings(agents.TurnOf(ctx))
	case *signals.Signal[signals.Discovery]:
		say = r.hearDiscovery(s)
	case *signals.Signal[signals.Doubt]:
		r.hearArgument(s.Payload.TargetSignalID, s.Payload.Concern)
	case *signals.Signal[signals.Challenge]:
		r.hearArgument(s.Payload.TargetSignalID, s.Payload.CounterArgument)
	case *signals.Signal[signals.Proposal]:
		r.proposals[s.Payload.ProposalID] = s.ID
	case *signals.Signal[signals.Vote]:
		if s.Payload.Stance == signals.Agree {
			r.votes[s.Source] = s.Payload
		}
	}
	if turn := agents.TurnOf(ctx); turn.Round > 1 && s == turn.New[len(turn.New)-1] {
		say = append(say, r.conclude()...)
	}
	return agents.Say(say...)
}

// findings are the reviewer's own discoveries, as many as it cares to tell.
func (r *reviewer) findings(turn *agents.Turn) []signals.Any {
	var say []signals.Any
	for _, f := range r.inspector.Inspect(r.p) {
		id := turn.NewID()
		h := &held{said: claim(f), finding: f}
		r.claims = append(r.claims, h)
		if len(say) == r.most() {
			continue
		}
		r.byID[id] = h
		say = append(say, signals.New(
			signals.Header{ID: id, Confidence: f.Confidence},
			signals.Discovery{Finding: h.said, Evidence: f.Evidence(1 + r.most()), Relevance: f.Relevance},
		))
	}
	if merits := r.p.Stats().Merits(r.inspector.Name); len(say) == 0 && merits != "" {
		say = append(say, signals.New(
			signals.Header{Confidence: 0.9},
			signals.Discovery{Finding: merits, Relevance: 0.2},
		))
	}
	return say
}

// most is how many things a reviewer says at a time.
func (r *reviewer) most() int { return 1 + int(4*r.personality.Verbosity) }

// hearDiscovery takes a finding in if the code shows it, and argues with what
// the reviewer's own analysis knows about it.
func (r *reviewer) hearDiscovery(s *signals.Signal[signals.Discovery]) []signals.Any {
	f, known := r.desk.findings[s.Payload.Finding]
	if !known {
		r.hearArgument(s.ReplyTo, s.Payload.Finding)
		return nil
	}
	h := &held{said: s.Payload.Finding, finding: f}
	r.claims = append(r.claims, h)
	r.byID[s.ID] = h
	var say []signals.Any
	for _, a := range inspect.Arguments(r.p, f, r.inspector.Name) {
		h.arguments = append(h.arguments, a)
		if len(say) < r.most() {
			say = append(say, argue(s.ID, a))
		}
	}
	return say
}

// argue says an argument in its kind: what makes a finding worse is a
// discovery, what takes most of it away a challenge, what eases it a doubt.
func argue(target signals.ID, a inspect.Argument) signals.Any {
	h := signals.Header{ReplyTo: target, Confidence: min(1, 0.5+a.Strength/2)}
	switch {
	case a.Effect == inspect.Worsens:
		return signals.New(h, signals.Discovery{Finding: a.String(), Relevance: a.Strength})
	case a.Strength >= 0.6:
		return signals.New(h, signals.Challenge{TargetSignalID: target, CounterArgument: a.String()})
	case a.Strength >= 0.3:
		return signals.New(h, signals.Doubt{TargetSignalID: target, Concern: a.String(), Severity: signals.Medium})
	default:
		return signals.New(h, signals.Doubt{TargetSignalID: target, Concern: a.String(), Severity: signals.Low})
	}
}

// hearArgument takes an argument in if the code bears it out.
func (r *reviewer) hearArgument(target signals.ID, said string) {
	h := r.byID[target]
	if h == nil {
		return
	}
	if a, known := r.arguments[h.said][said]; known {
		h.arguments = append(h.arguments, a)
	}
}

// judge makes a verdict of all that the reviewer knows.
func (r *reviewer) judge() inspect.Verdict {
	var claims []inspect.Claim
	for _, h := range r.claims {
		claims = append(claims, inspect.Claim{Finding: h.finding, Arguments: h.arguments})
	}
	p := r.personality
	return inspect.Temper{Caution: p.Caution, Curiosity: p.Curiosity, Conformity: p.Conformity}.Judge(r.inspector.Name, claims)
}

// conclude is what a reviewer does when it has heard a whole round: leads
// propose, then everybody votes once, then some change their minds.
func (r *reviewer) conclude() []signals.Any {
	switch {
	case r.leads() && !r.proposed:
		r.proposed = true
		return []signals.Any{r.propose()}
	case len(r.proposals) == 0 || len(r.proposals) == 1 && !r.leads():
		return nil // the other one is still to come
	case r.verdict.Stance == 0:
		r.verdict = r.judge()
		return append(r.oppose(), r.vote(r.verdict.Stance, r.verdict.Conviction(), r.verdict.Reason())...)
	default:
		return r.reconsider()
	}
}

// propose makes the lead's case, whatever its own vote will be.
func (r *reviewer) propose() signals.Any {
	v := r.judge()
	h := signals.Header{Confidence: v.Conviction()}
	if r.inspector.Name == boldest() {
		return signals.New(h, signals.Proposal{
			ProposalID: approve, Content: "Approve package " + r.p.Name, Reasoning: r.merits(),
		})
	}
	return signals.New(h, signals.Proposal{
		ProposalID: requestChanges, Content: "Request changes to package " + r.p.Name, Reasoning: r.wishes(v),
	})
}

// merits is what every inspector can hold in the package's favour.
func (r *reviewer) merits() string {
	var all []string
	for _, i := range inspect.Inspectors() {
		if m := r.p.Stats().Merits(i.Name); m != "" {
			all = append(all, m)
		}
	}
	if all == nil {
		return "nothing speaks against it"
	}
	return strings.Join(all, "; ")
}

// wishes are the three claims that weigh most.
func (r *reviewer) wishes(v inspect.Verdict) string {
	var all []string
	for _, c := range v.Claims {
		if len(all) < 3 {
			all = append(all, fmt.Sprintf("%s (%s)", c.Finding.Message, c.Finding.Evidence(1)))
		}
	}
	if all == nil {
		return "nothing is perfect, though nothing was found"
	}
	return strings.Join(all, "; ")
}

// oppose challenges the proposal that the reviewer is sure is wrong, with what
// it knows at first hand.
func (r *reviewer) oppose() []signals.Any {
	v := r.verdict
	if v.Conviction() < 0.75 {
		return nil
	}
	target, why := r.proposals[requestChanges], r.p.Stats().Merits(r.inspector.Name)
	if v.Stance == inspect.RequestChanges {
		target, why = r.proposals[approve], r.worst(v)
	}
	if target.IsZero() || why == "" {
		return nil
	}
	return []signals.Any{signals.New(
		signals.Header{ReplyTo: target, Confidence: v.Conviction()},
		signals.Challenge{TargetSignalID: target, CounterArgument: why},
	)}
}

// worst is the weightiest of its own findings.
func (r *reviewer) worst(v inspect.Verdict) string {
	for _, c := range v.Claims {
		if c.Finding.Inspector == r.inspector.Name {
			return fmt.Sprintf("%s (%s)", c.Finding.Message, c.Finding.Evidence(1))
		}
	}
	return ""
}

// vote is for one answer and against the other.
func (r *reviewer) vote(s inspect.Stance, weight float64, reason string) []signals.Any {
	yes, no := approve, requestChanges
	if s == inspect.RequestChanges {
		yes, no = no, yes
	}
	h := signals.Header{Confidence: weight}
	return []signals.Any{
		signals.New(h, signals.Vote{ProposalID: yes, Stance: signals.Agree, Weight: weight, Reasoning: reason}),
		signals.New(h, signals.Vote{ProposalID: no, Stance: signals.Disagree, Weight: weight, Reasoning: reason}),
	}
}

// reconsider lets a reviewer that was not sure go with a majority, the more
// readily the more it conforms.
func (r *reviewer) reconsider() []signals.Any {
	own, other := approve, inspect.RequestChanges
	if r.verdict.Stance == inspect.RequestChanges {
		own, other = requestChanges, inspect.Approve
	}
	against, all := 0.0, r.verdict.Conviction()
	for _, v := range r.votes {
		all += v.Weight
		if v.ProposalID != own {
			against += v.Weight
		}
	}
	if r.wavered || against <= all/2 || r.verdict.Conviction() > 0.5+0.4*r.personality.Conformity {
		return nil
	}
	r.wavered = true
	reason := fmt.Sprintf("was not sure (%.2f), and %.0f%% of the weight sees it otherwise", r.verdict.Conviction(), 100*against/all)
	return r.vote(other, 0.5, reason)
}
