package host_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/desk"
)

// slow makes the team one of ann, bob and cid, who agree with what ann proposes. In a task that
// waits, bob is against it, and cid votes in the third round, when it may.
func slow(cid <-chan struct{}) func(*host.Team) {
	return func(team *host.Team) {
		o := swarm.Options{Quorum: 2, Seed: 1}
		for _, name := range []string{"ann", "bob", "cid"} {
			o.Agents = append(o.Agents, &agents.Agent{ID: name, Reactor: agents.Func(func(ctx context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
				switch {
				case len(turn.Proposals) == 0 && name == "ann":
					return agents.Emit(signals.New(signals.Header{Confidence: 0.9}, signals.Proposal{ProposalID: "x", Content: turn.Task.Task}))
				case len(turn.Proposals) == 0 || turn.Proposals[0].VoteOf(name) != nil:
					return agents.Emit()
				case name == "bob" && turn.Task.Context == "waits":
					return agents.Emit(agents.Disagree("x", 0.9, "it was told so"))
				case name == "cid" && turn.Task.Context == "waits":
					if turn.Round < 3 {
						return agents.Emit()
					}
					select {
					case <-cid:
					case <-ctx.Done():
						return agents.Emit()
					}
				}
				return agents.Emit(agents.Agree("x", 0.9, "it fits"))
			})})
		}
		team.Open = desk.Made(o)
	}
}

// votesOf returns the votes in the log of a solve, by voter.
func votesOf(t *testing.T, b *api.Backend, id string) map[string]uint64 {
	t.Helper()
	got, err := b.Solves.Get(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]uint64{}
	for _, s := range got.Said {
		if s.Kind == string(signals.KindVote) {
			all[s.By] = s.Seq
		}
	}
	return all
}

// A person takes back a vote while the solve waits for an agent: the vote does not count in what it
// decides, and the log replays to the same.
func TestARetractionOfARunningSolveCountsInItsDecision(t *testing.T) {
	t.Parallel()
	cid := make(chan struct{})
	h, _ := open(t, t.TempDir(), slow(cid))
	b := h.Backend()
	one, err := b.Solves.Start(t.Context(), api.NewSolve{Team: "platform", Task: "do x", Context: "waits"})
	if err != nil {
		t.Fatal(err)
	}
	until(t, b, one.ID, func(s api.Solve) bool { return len(votesOf(t, b, one.ID)) == 2 || s.State != api.Running })
	got, err := b.Solves.Retract(t.Context(), one.ID, api.Retraction{Seq: votesOf(t, b, one.ID)["bob"], Reason: "it was deceived", By: "Ada"})
	if err != nil || got.State != api.Running {
		t.Fatalf("%s %s, %v", got.State, got.Detail, err)
	}
	close(cid)
	end := until(t, b, one.ID, func(s api.Solve) bool { return s.State != api.Running })
	got, err = b.Solves.Get(t.Context(), one.ID, 0)
	if err != nil || end.State != api.Decided || got.Revised || got.Decision.Voters != 2 || len(got.Decision.Dissent) > 0 {
		t.Errorf("%s, %s: %s, revised %v, by %+v, %v", end.State, end.Stop, end.Detail, got.Revised, got.Decision, err)
	}
	if check, err := b.Runs.Replay(t.Context(), one.Run); err != nil || !check.Identical {
		t.Errorf("replay: %+v, %v", check, err)
	}
}

// Solves of one team run beside each other: one that waits keeps none of the others back, their
// signals are in threads of their own, and the run of all of them replays.
func TestTwoSolvesOfATeamRunAtOnce(t *testing.T) {
	t.Parallel()
	cid := make(chan struct{})
	h, _ := open(t, t.TempDir(), slow(cid))
	b := h.Backend()
	waits, err := b.Solves.Start(t.Context(), api.NewSolve{Team: "platform", Task: "do x", Context: "waits"})
	if err != nil {
		t.Fatal(err)
	}
	until(t, b, waits.ID, func(api.Solve) bool { return len(votesOf(t, b, waits.ID)) == 2 })
	var both sync.WaitGroup
	for i := range 4 {
		both.Go(func() {
			one, err := b.Solves.Start(t.Context(), api.NewSolve{Team: "platform", Task: fmt.Sprint("do ", i%2)}) // two of each
			if err != nil {
				t.Error(err)
				return
			}
			if end := until(t, b, one.ID, func(s api.Solve) bool { return s.State != api.Running }); end.State != api.Decided || end.Answer != fmt.Sprint("do ", i%2) || end.Thread == waits.Thread {
				t.Errorf("beside one that waits: %+v", end)
			}
		})
	}
	both.Wait()
	if one, err := b.Solves.Get(t.Context(), waits.ID, 0); err != nil || one.State != api.Running {
		t.Errorf("the one that waits: %s, %v", one.State, err)
	}
	close(cid)
	if end := until(t, b, waits.ID, func(s api.Solve) bool { return s.State != api.Running }); end.State != api.Undecided || !strings.HasPrefix(end.Detail, "deadlocked: 2 of 3 agree") {
		t.Errorf("the one that waited: %+v", end)
	}
	all, err := b.Solves.List(t.Context(), api.SolvesQuery{Team: "platform", Limit: 9})
	if err != nil || len(all) != 5 {
		t.Errorf("%d solves, %v", len(all), err)
	}
	if check, err := b.Runs.Replay(t.Context(), waits.Run); err != nil || !check.Identical {
		t.Errorf("replay: %+v, %v", check, err)
	}
}
