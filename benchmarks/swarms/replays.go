package main

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/internal/votes"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// A replayed set has the results of a vote that stops early on people's recorded answers,
// against their plain majority.
type replayed struct {
	Set                string
	Tasks              int
	Majority, Vote     float64 // right, in %
	MajorityOf, VoteOf float64 // calls
}

// mostTasks is how many tasks of a set are replayed.
const mostTasks = 500

func (o *options) replays() (all []replayed, err error) {
	dir := os.DirFS(o.data)
	names, err := votes.Find(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		sub, err := fs.Sub(dir, name)
		if err != nil {
			return nil, err
		}
		set, _, err := votes.Read(sub, name)
		if err != nil {
			return nil, err
		}
		r, err := replay(set)
		if err != nil {
			return nil, err
		}
		if r.Tasks > 0 {
			all = append(all, r)
		}
	}
	return all, nil
}

// replay makes a team of the voters of each task, who answer when asked. Tasks with fewer
// than five voters are left out.
func replay(set *votes.Set) (r replayed, err error) {
	r.Set = set.Name
	for _, task := range set.Tasks {
		said := map[string]string{}
		var team []*agents.Agent
		count := map[string]float64{}
		for _, v := range task.Votes {
			if _, again := said[v.Voter]; again {
				continue
			}
			said[v.Voter] = v.Label
			count[v.Label]++
			team = append(team, &agents.Agent{ID: v.Voter, Reactor: answering(said)})
		}
		if task.Truth == "" || len(team) < 5 || r.Tasks == mostTasks {
			continue
		}
		r.Tasks++
		r.Majority += plurality(count, task.Truth)
		r.MajorityOf += float64(len(team))
		right, calls, err := vote(team, task)
		if err != nil {
			return r, err
		}
		r.Vote += right
		r.VoteOf += calls
	}
	n := float64(max(1, r.Tasks))
	r.Majority, r.Vote, r.MajorityOf, r.VoteOf = 100*r.Majority/n, 100*r.Vote/n, r.MajorityOf/n, r.VoteOf/n
	return r, nil
}

// plurality returns how much of what leads is the truth: ties count by their share.
func plurality(count map[string]float64, truth string) float64 {
	most, ties := 0.0, 0.0
	for _, n := range count {
		switch {
		case n > most:
			most, ties = n, 1
		case n == most:
			ties++
		}
	}
	if count[truth] == most {
		return 1 / ties
	}
	return 0
}

func answering(said map[string]string) agents.Func {
	return func(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
		return agents.Emit(agents.Propose(fmt.Sprintf("%s-%d", t.Agent, t.Round), "label "+said[t.Agent], .8, ""))
	}
}

func vote(team []*agents.Agent, task *votes.Task) (right, calls float64, err error) {
	s, err := swarm.New(swarm.Options{
		Agents: team, Seed: 1, Mode: mode.Vote, Clock: swarm.StepClock(time.Unix(0, 0), time.Millisecond),
		Limits: swarm.Limits{Calls: len(team), Deadline: time.Hour},
	})
	if err != nil {
		return 0, 0, err
	}
	defer s.Close()
	r, err := s.Solve(context.Background(), signals.Task{Task: task.ID})
	if err != nil {
		return 0, 0, err
	}
	for _, p := range r.Proposals {
		if p.Proposal.Payload.Content == "label "+task.Truth && slices.Contains(r.Decision.Leaders, p.ID()) {
			right = 1 / float64(len(r.Decision.Leaders))
		}
	}
	return right, float64(r.Calls), nil
}

func (all *results) replayed(b *strings.Builder) {
	if len(all.Replays) == 0 {
		return
	}
	fmt.Fprintf(b, `
## Recorded answers

Answers in public sets, of at most %d tasks of each, as agents that answer when asked and of which nothing is known.
gsm8k and crux are those of 42 and 48 models (ZeroEval), mmlupro those of 29 (MMLU-Pro); they are not in the repository
(`+"`--data`"+`). The others are people's, of benchmarks/data.

| set | tasks | majority of all, %% | of calls | Vote, %% | of calls | share of the calls |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
`, mostTasks)
	for _, r := range all.Replays {
		fmt.Fprintf(b, "| %s | %d | %.1f | %.1f | %.1f | %.1f | %.2f |\n", r.Set, r.Tasks, r.Majority, r.MajorityOf, r.Vote, r.VoteOf, r.VoteOf/r.MajorityOf)
	}
}
