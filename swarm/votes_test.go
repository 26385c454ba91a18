package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// says makes an agent say this in its first turn.
func says(id string, said ...signals.Any) *agents.Agent {
	a := reacts(id, func(_ context.Context, t *agents.Turn) seq {
		if t.Round == 1 {
			return agents.Emit(said...)
		}
		return agents.Emit()
	})
	a.CanEmit = []signals.Kind{signals.KindDiscovery}
	for _, s := range said {
		a.CanEmit = append(a.CanEmit, s.Kind())
	}
	return a
}

func TestVoteWithNeitherWeightNorConfidenceIsRefusedByName(t *testing.T) {
	cast := func(weight, confidence float64, s signals.Stance) signals.Any {
		return signals.New(signals.Header{Confidence: confidence}, signals.Vote{ProposalID: "a", Stance: s, Weight: weight})
	}
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		says("p", propose("a", "do a")), says("neither", cast(0, 0, yes)), says("sure", cast(0, 0.8, yes)), says("heavy", cast(0.4, 0.8, yes)),
		says("silent", cast(0, 0, pass)),
	}}))
	weights := map[string]float64{}
	for v := range r.Decision.Ballots().Votes() {
		weights[v.Voter] = v.Weight
	}
	if diff := cmp.Diff(map[string]float64{"sure": 0.8, "heavy": 0.4, "silent": 0}, weights); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(r.Detail, "vote of neither was refused") || !strings.Contains(r.Detail, "neither a weight nor a confidence") {
		t.Errorf("the detail is %q", r.Detail)
	}
}

func TestVotesThatDoNotCountAreReportedWithTheirLikelyMeaning(t *testing.T) {
	b := made(bus.New(nil))
	defer b.Close()
	mallory, err := b.Agent("mallory", bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	lost := says("lost", vote("back-off", yes, 1), vote("a proposal of nobody's", yes, 1))
	inner := lost.Reactor
	lost.Reactor = agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
		if turn.Round == 1 {
			if _, err := mallory.Publish(ctx, signals.With(vote("backoff", yes, 1), signals.Header{Thread: turn.Thread, Confidence: 1})); err != nil {
				t.Error(err)
			}
		}
		return inner.React(ctx, turn)
	})
	r := solve(t, newSwarm(t, swarm.Options{Bus: b, Agents: []*agents.Agent{says("p", propose("backoff", "do it"), propose("at-once", "now"), propose("b", "never")), lost}}))
	if r.Stop != runlog.StopNoProgress {
		t.Errorf("got %v, want no progress", r.Stop)
	}
	for _, want := range []string{
		`3 proposals and no votes that count (1 agent may vote)`,
		`lost voted on "back-off", which no agent proposed; did you mean "backoff"?`,
		`mallory voted on "backoff" and may not vote`,
	} {
		if !strings.Contains(r.Detail, want) {
			t.Errorf("the detail %q does not say %q", r.Detail, want)
		}
	}
}

func TestStopSaysWhatWasMissingInNumbers(t *testing.T) {
	for want, team := range map[string][]*agents.Agent{
		"2 of 3 agree, 66.7 % of the weight; 70 % is needed": {
			says("p", propose("a", "do a"), vote("a", yes, 1)), says("v", vote("a", yes, 1)), says("w", vote("a", no, 1)),
		},
		"1 has voted; the quorum is 2; no vote of v, w: if the others are enough, set the quorum to 1, or let only those agents vote that have to": {says("p", propose("a", "do a"), vote("a", yes, 1)), voter("v", nil), voter("w", nil)},
		"1 proposal and no votes that count (2 agents may vote)":                                                                                   {says("p", propose("a", "do a")), voter("v", nil), voter("w", nil)},
		"none of 2 agents said anything": {says("v"), says("w")},
	} {
		if r := solve(t, newSwarm(t, swarm.Options{Agents: team})); r.Detail != want {
			t.Errorf("got %q, want %q", r.Detail, want)
		}
	}
}

func TestIdenticalContentIsOneProposalWithTwoSupporters(t *testing.T) {
	team := []*agents.Agent{
		says("p", propose("a", "Use exponential back-off.")), says("q", propose("b", "use  exponential BACK-OFF")), says("r", propose("c", "give up")),
		voter("v1", map[string]signals.Stance{"a": yes}), voter("v2", map[string]signals.Stance{"a": yes}),
		voter("v3", map[string]signals.Stance{"b": yes}), voter("v4", map[string]signals.Stance{"b": yes}), voter("v5", map[string]signals.Stance{"c": yes}),
	}
	s := newSwarm(t, swarm.Options{Agents: team})
	r := solve(t, s)
	if r.Stop != runlog.StopConsensus || r.Decision.Choice != "a" || r.Decision.Voters < 4 || r.Decision.Support < 0.8 {
		t.Errorf("%v %v, want consensus on a with 4 of 5", r.Stop, r.Decision)
	}
	if len(r.Proposals) != 2 || !cmp.Equal(r.Proposals[0].Supporters(), []string{"p", "q"}) || !r.Proposals[0].Is("b") {
		t.Errorf("proposals %+v", r.Proposals)
	}
	made := 0
	for _, s := range r.Log {
		if s.Kind() == signals.KindProposal {
			made++
		}
	}
	if made != 3 {
		t.Errorf("the log has %d proposals, want who proposed what", made)
	}
	for _, c := range r.Conflicts {
		if c.A.ProposalID != "c" && c.B.ProposalID != "c" {
			t.Errorf("a conflict between %s and %s, which say the same", c.A.ProposalID, c.B.ProposalID)
		}
	}
	if again, err := s.Replay(r.Log); err != nil || again.Choice != "a" || again.Support != r.Decision.Support {
		t.Errorf("replayed: %v, %v", again, err)
	}
}

func TestProposalsThatAreTheSameAreNotEscalated(t *testing.T) {
	r := solve(t, newSwarm(t, swarm.Options{Conflicts: settle.ByEscalation, Agents: []*agents.Agent{
		says("p", propose("a", "do it")), says("q", propose("b", "Do it!")), voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"b": yes}),
	}}))
	if r.Stop != runlog.StopConsensus || len(r.Conflicts) != 0 {
		t.Errorf("%v with conflicts %v, want consensus without", r.Stop, r.Conflicts)
	}
	want := []string{
		"system task:new", "p proposal", "q proposal", "system conflict", "system conflict:resolved", "v vote", "w vote", "system consensus:reached",
	}
	if diff := cmp.Diff(want, sources(r.Log)); diff != "" {
		t.Error(diff)
	}
}

func TestCallerDecidesWhichProposalsAreTheSameAndTheLogRecordsIt(t *testing.T) {
	asked := 0
	s := newSwarm(t, swarm.Options{
		Same: func(_ context.Context, a, b signals.Proposal) bool {
			asked++
			return strings.Contains(a.Content, "wait") && strings.Contains(b.Content, "wait")
		},
		Agents: []*agents.Agent{
			says("p", propose("a", "wait longer each time")), says("q", propose("b", "do not wait the same time twice")), says("r", propose("c", "give up")),
			voter("v1", map[string]signals.Stance{"a": yes}), voter("v2", map[string]signals.Stance{"b": yes}), voter("v3", map[string]signals.Stance{"b": yes}),
		},
	})
	r := solve(t, s)
	if r.Stop != runlog.StopConsensus || r.Decision.Choice != "a" || asked != 2 {
		t.Errorf("%v %v after asking %d times, want consensus on a after 2", r.Stop, r.Decision, asked)
	}
	if again, err := s.Replay(r.Log); err != nil || again.Choice != "a" || asked != 2 {
		t.Errorf("replayed: %v, %v; asked %d times", again, err, asked)
	}
}

// A vote may come before the proposal that turns out to be the same as
// another.
func TestEarlyVotesCountForTheSameProposal(t *testing.T) {
	early := says("v1", vote("b", yes, 1))
	late := voter("v2", map[string]signals.Stance{"a": yes})
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{early, says("p", propose("a", "do it")), says("q", propose("b", "do it")), late}}))
	if r.Stop != runlog.StopConsensus || r.Decision.Voters != 2 {
		t.Errorf("%v with %d voters, want consensus with 2", r.Stop, r.Decision.Voters)
	}
}

func TestAVoterThatAgreesUnderOneIDAndDisagreesUnderAnotherAgrees(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		votes := rapid.Permutation([]signals.Any{vote("a", yes, 1), vote("b", no, 1)}).Draw(rt, "order")
		r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{
			says("p", propose("a", "do it")), says("q", propose("b", "do it")), says("v", votes...), says("w", votes...),
		}}))
		if r.Stop != runlog.StopConsensus {
			rt.Fatalf("%v: %s", r.Stop, r.Detail)
		}
	})
}

func TestNumbersAndSymbolsAreNotPunctuation(t *testing.T) {
	for _, c := range [][2]string{{"wait 1.5 s", "wait 15 s"}, {"use C++", "use C"}, {"x < y", "x > y"}, {"at -5", "at 5"}, {"!", "?"}} {
		r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{says("p", propose("a", c[0])), says("q", propose("b", c[1]))}}))
		if len(r.Proposals) != 2 {
			t.Errorf("%q and %q are one proposal", c[0], c[1])
		}
	}
}

func TestDefaultQuorumIsMoreThanHalfOfTheAgentsThatHearProposalsAndMayVote(t *testing.T) {
	open := func(a *agents.Agent) *agents.Agent { a.CanEmit = nil; return a }
	silent := func(id string) *agents.Agent {
		return reacts(id, func(context.Context, *agents.Turn) seq { return agents.Emit() })
	}
	observer := func(id string) *agents.Agent {
		a := silent(id)
		a.CanEmit = []signals.Kind{signals.KindDiscovery}
		return a
	}
	deaf := func(id string) *agents.Agent {
		a := silent(id)
		a.Listens = []signals.Kind{signals.KindTask}
		return a
	}
	aye := map[string]signals.Stance{"a": yes}
	for name, c := range map[string]struct {
		team []*agents.Agent
		want runlog.StopReason
	}{
		"observers": {[]*agents.Agent{
			open(proposer("p", "a", "do a")), observer("o1"), observer("o2"), observer("o3"), open(voter("v1", aye)), open(voter("v2", aye)),
		}, runlog.StopConsensus},
		"agents that hear no proposals": {[]*agents.Agent{
			open(proposer("p", "a", "do a")), deaf("d1"), deaf("d2"), deaf("d3"), open(voter("v1", aye)), open(voter("v2", aye)),
		}, runlog.StopConsensus},
		"silent agents": {[]*agents.Agent{
			open(proposer("p", "a", "do a")), silent("s1"), silent("s2"), silent("s3"), open(voter("v1", aye)), open(voter("v2", aye)),
		}, runlog.StopDeadlock},
		"silent agents that list votes": {[]*agents.Agent{
			proposer("p", "a", "do a"), voter("s1", nil), voter("s2", nil), voter("s3", nil), voter("v1", aye), voter("v2", aye),
		}, runlog.StopDeadlock},
		"one of one": {[]*agents.Agent{proposer("p", "a", "do a"), observer("o1"), open(voter("v1", aye))}, runlog.StopConsensus},
	} {
		if r := solve(t, newSwarm(t, swarm.Options{Agents: c.team})); r.Stop != c.want {
			t.Errorf("%s: %v (%s), want %v", name, r.Stop, r.Detail, c.want)
		}
	}
}

// Two who vote in the first round do not decide for those who hear of the
// proposal in the second.
func TestQuorumWaitsForThoseWhoHadNoTurnYet(t *testing.T) {
	team := []*agents.Agent{says("p", propose("a", "do a"), vote("a", yes, 1)), says("q", vote("a", yes, 1))}
	team[0].CanEmit, team[1].CanEmit = nil, nil
	for i := range 4 {
		v := voter(fmt.Sprint("v", i), map[string]signals.Stance{"a": no})
		v.CanEmit = nil
		team = append(team, v)
	}
	if r := solve(t, newSwarm(t, swarm.Options{Agents: team})); r.Stop != runlog.StopRejected && r.Stop != runlog.StopDeadlock {
		t.Errorf("%v: %s", r.Stop, r.Detail)
	}
}

func TestSignalsOfATurnBeyondTheSignalLimitAreRefusedByName(t *testing.T) {
	s := newSwarm(t, swarm.Options{Limits: swarm.Limits{Signals: 3}, Agents: []*agents.Agent{
		says("a", propose("1", "1"), propose("2", "2")), says("b", propose("3", "3"), propose("4", "4"), propose("5", "5")), says("c", propose("6", "6")),
	}})
	var refused []string
	for e, err := range s.Stream(t.Context(), signals.Task{Task: "x"}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case solves.Refused:
			refused = append(refused, fmt.Sprint(e.Agent, " ", errors.Is(e.Err, swarm.ErrSignals)))
		case solves.Stopped:
			if e.Result.Stop != runlog.StopBudget || e.Result.Turns.Refused != 2 || !strings.Contains(e.Result.Detail, "proposal of b was refused") {
				t.Errorf("%v, %q, %+v", e.Result.Stop, e.Result.Detail, e.Result.Turns)
			}
		}
	}
	if diff := cmp.Diff([]string{"b true", "b true"}, refused); diff != "" {
		t.Error(diff)
	}
}

func TestEscalationCountsWhereverItsAgentStands(t *testing.T) {
	escalates := func() *agents.Agent {
		return &agents.Agent{
			ID: "worried", Listens: []signals.Kind{signals.KindProposal},
			Reactor: agents.Func(func(context.Context, *agents.Turn) seq {
				return agents.Emit(signals.New(signals.Header{}, signals.Escalation{Reason: "needs a person"}))
			}),
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		aye := map[string]signals.Stance{"a": yes}
		team := rapid.Permutation([]*agents.Agent{
			proposer("p", "a", "do a"), voter("v1", aye), voter("v2", aye), voter("v3", aye), escalates(),
		}).Draw(rt, "order")
		if r := solve(t, newSwarm(t, swarm.Options{Agents: team})); r.Stop != runlog.StopEscalated || r.Decision.Voters != 3 {
			rt.Fatalf("%v after %d voters, want escalated when all have spoken", r.Stop, r.Decision.Voters)
		}
	})
}
