package otel_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// TestObstaclesOfAWithheldChoiceAreRecorded has a team that agrees while an agent's alarm
// is open.
func TestObstaclesOfAWithheldChoiceAreRecorded(t *testing.T) {
	for name, test := range map[string]struct {
		content func(signals.Kind, string, string) string
		want    string
	}{
		"without content": {nil, "[open escalation: #4 escalation.interrupt by alarm]"},
		"with content":    {otel.Redact, "[escalation.interrupt by alarm is open: hush]"},
	} {
		r := newTrace(t, otel.Options{Content: test.content})
		alarm := agent("alarm", signals.KindTask, coordination.Draft(coordination.Note{Class: coordination.EscalationInterrupt, Summary: "hush"}))
		alarm.CanEmit = []signals.Kind{coordination.KindEscalation}
		r.solve(t, swarm.Options{Agents: []*agents.Agent{alarm, proposer("p", "a"), voter("v", "a"), voter("w", "a")}})
		if got := ofSolve(t, r)["swarmbus.obstacles"]; got != test.want {
			t.Errorf("%s: the solve has %q, want %q", name, got, test.want)
		}
		withheld := false
		for _, s := range r.spans(t) {
			reached := strings.HasPrefix(s.Name, "evaluate_consensus") && s.Attributes["swarmbus.outcome"] == "reached"
			withheld = withheld || reached && s.Attributes["swarmbus.obstacles"] == test.want
			if test.content == nil && strings.Contains(s.Attributes["swarmbus.reason"]+s.Attributes["swarmbus.obstacles"], "hush") {
				t.Errorf("%s: %v quotes the agent", s.Name, s.Attributes)
			}
		}
		if !withheld {
			t.Errorf("%s: no evaluation that reached a choice has its obstacles", name)
		}
	}
}

// TestSettledConflictShowsHow has a majority of two for one of two proposals.
func TestSettledConflictShowsHow(t *testing.T) {
	r := newTrace(t, otel.Options{})
	r.solve(t, swarm.Options{Conflicts: settle.ByMajority, Agents: []*agents.Agent{
		proposer("p", "a"), proposer("q", "b"), voter("u", "a"), voter("v", "a"), voter("w", "b"),
	}})
	about := named(t, r, "publish conflict:resolved").Attributes
	if about["swarmbus.how"] != "majority" || about["swarmbus.winner"] != "#3 proposal by p" || !strings.Contains(about["swarmbus.rivals"], "proposal by q") {
		t.Errorf("got %v, want how a won over b", about)
	}
	if got := ofSolve(t, r)["swarmbus.settled"]; got != "[majority]" {
		t.Errorf("the solve has %q", got)
	}
}

// TestChallengersAreComparedWithThoseExpected has one agent of two that challenges.
func TestChallengersAreComparedWithThoseExpected(t *testing.T) {
	r := newTrace(t, otel.Options{})
	critic := agent("critic", signals.KindProposal)
	critic.Reactor = agents.Each(func(_ context.Context, s signals.Any) seq {
		return agents.Emit(signals.New(signals.Header{}, signals.Challenge{TargetSignalID: s.Head().ID, CounterArgument: "hush"}))
	})
	r.solve(t, swarm.Options{Agents: []*agents.Agent{proposer("p", "a"), critic, agent("silent", signals.KindProposal), voter("v", "a"), voter("w", "a")}})
	about := ofSolve(t, r)
	if about["swarmbus.challengers"] != "1" || about["swarmbus.challengers.expected"] != "1" || about["swarmbus.groupthink.risk"] != "0.25" {
		t.Errorf("got %v", about)
	}
}

// TestSolveShowsTheGroundsOfItsChoice has a finding that a vote names, and agents that moved the result.
func TestSolveShowsTheGroundsOfItsChoice(t *testing.T) {
	r := newTrace(t, otel.Options{})
	finder := proposer("p", "a")
	propose := finder.Reactor
	finder.CanEmit = nil
	finder.Reactor = agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
		return func(yield func(signals.Any, error) bool) {
			if yield(signals.New(signals.Header{Confidence: 1}, signals.Discovery{Finding: "it is slow", Relevance: 1}), nil) {
				propose.React(ctx, turn)(yield)
			}
		}
	})
	because := agent("v", signals.KindDiscovery)
	because.Listens = nil
	because.Reactor = agents.On(func(_ context.Context, f *signals.Signal[signals.Discovery]) seq {
		return agents.Emit(signals.New(signals.Header{Confidence: 1, ReplyTo: f.ID}, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1}))
	})
	r.solve(t, swarm.Options{Agents: []*agents.Agent{finder, because, voter("w", "a")}})
	about := ofSolve(t, r)
	if about["swarmbus.claims.for"] != "1" || about["swarmbus.claims.against"] != "0" || !strings.HasPrefix(about["swarmbus.credit"], "[w +") {
		t.Errorf("got for %q, against %q, credit %q", about["swarmbus.claims.for"], about["swarmbus.claims.against"], about["swarmbus.credit"])
	}
}

// TestSolveShowsFlipsAndAgreementBeforeAndAfter has one agent of three that changes its vote
// once it has heard the others.
func TestSolveShowsFlipsAndAgreementBeforeAndAfter(t *testing.T) {
	r := newTrace(t, otel.Options{})
	var team []*agents.Agent
	for id, own := range map[string]string{"p": "a", "q": "b", "r": "b"} {
		follower := agent(id, signals.KindProposal)
		follower.Listens, follower.CanEmit = nil, nil
		follower.Reactor = agents.Func(func(_ context.Context, turn *agents.Turn) seq {
			if turn.Round > 1 {
				return agents.Emit(agents.Agree("b-q", 1, "hush"))
			}
			return agents.Emit(agents.Propose(own+"-"+id, own, 1, "hush"), agents.Agree(own+"-"+id, 1, "hush"))
		})
		team = append(team, follower)
	}
	slices.SortFunc(team, func(a, b *agents.Agent) int { return cmp.Compare(a.ID, b.ID) })
	r.solve(t, swarm.Options{Agents: team})
	about := ofSolve(t, r)
	if about["swarmbus.talk.before"] != "0.6666666666666666" || about["swarmbus.talk.after"] != "1" || !strings.HasSuffix(about["swarmbus.talk.flips"], " p from a-p to b-q]") {
		t.Errorf("before %q, after %q, flips %q", about["swarmbus.talk.before"], about["swarmbus.talk.after"], about["swarmbus.talk.flips"])
	}
}
