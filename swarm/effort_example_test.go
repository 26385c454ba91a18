package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm"
)

// A swarm spends little until an agent says that it is not enough: the escalation's mode becomes
// the effort of the next turns, and the swarm spends more and converges. It runs twice, without
// the hook that answers escalations and with it.
func Example_effort() {
	fmt.Println("No one answers escalations")
	err := diagnose(nil)
	fmt.Println("\nA hook asks for deep mode")
	err = errors.Join(err, diagnose(func(_ context.Context, s coordination.Signal) (signals.Effort, error) {
		fmt.Printf("  hook      %s asks: %s\n", s.Source, s.Summary)
		return signals.Deep, nil
	}))
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// No one answers escalations
	//   profiler  takes 25 samples: the database is slow, sure 0.16
	//   swarm     no-progress after 3 rounds and 25 samples: ""
	//   thread    not converged: 2 obstacles, first profiler is at confidence.low: the database is slow
	//
	// A hook asks for deep mode
	//   profiler  takes 25 samples: the database is slow, sure 0.16
	//   hook      profiler asks: 0.16 is not sure enough
	//   profiler  takes 5000 samples: retries multiply the load, sure 1.00
	//   swarm     consensus after 4 rounds and 5025 samples: "retries multiply the load"
	//   thread    converged: 1 source is sure enough
}

func diagnose(hook connectivity.Hook) (err error) {
	b, err := bus.New(nil)
	if err != nil {
		return err
	}
	defer b.Close()
	layer, err := connectivity.New(b, &connectivity.Options{Hook: hook})
	if err != nil {
		return err
	}
	p := &profiler{}
	s, err := swarm.New(swarm.Options{
		Agents: []*agents.Agent{
			{
				ID: "profiler", Listens: []signals.Kind{signals.KindTask, signals.KindDoubt},
				CanEmit: append(kinds, signals.KindProposal), Reactor: agents.Func(p.react),
			},
			reviewer("ada"), reviewer("bob"),
		},
		Bus: b, Coordination: swarm.Coordination{Layer: layer}, Seed: 8,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Shutdown(context.Background())) }()
	result, err := s.Solve(context.Background(), signals.Task{Task: "Why is checkout slow?"})
	if err != nil {
		return err
	}
	fmt.Printf("  swarm     %s after %d rounds and %d samples: %q\n", result.Stop, result.Rounds, p.spent, result.Answer)
	fmt.Printf("  thread    %s\n", layer.Converged(result.Thread))
	return nil
}

// kinds are those in which the profiler coordinates.
var kinds = []signals.Kind{coordination.KindConfidence, coordination.KindEscalation, coordination.KindTransition}

// A profiler samples where time goes, as much as the turn's effort allows.
type profiler struct {
	spent int
}

// samples is what a turn may spend.
func samples(e signals.Effort) int {
	if e == signals.Deep {
		return 5000
	}
	return 25
}

func (p *profiler) react(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	n := samples(t.Effort)
	if t.Round > 1 && n == samples(0) {
		return agents.Emit() // as little would not show more
	}
	retries := 0
	for range n {
		if t.Rand().Float64() < 0.55 { // the truth, which only samples show
			retries++
		}
	}
	p.spent += n
	id, cause := "database", "the database is slow"
	if 2*retries > n {
		id, cause = "retries", "retries multiply the load"
	}
	// How unlikely so clear a majority is if both were as frequent.
	sure := math.Erf(math.Abs(float64(2*retries-n)) / math.Sqrt(float64(2*n)))
	fmt.Printf("  profiler  takes %d samples: %s, sure %.2f\n", n, cause, sure)
	proposal := agents.Propose(fmt.Sprint(id, "-", t.Round), cause, sure, fmt.Sprintf("%d of %d samples are retries", retries, n))
	return agents.Emit(append(grade(t, sure, cause), proposal)...)
}

// grade says how sure the profiler is, and asks for more if that is little.
func grade(t *agents.Turn, sure float64, cause string) []signals.Any {
	doubt, alarm := before(t)
	n := coordination.Note{Class: coordination.ConfidenceLow, Confidence: coordination.Graded(sure), Summary: cause, Replaces: doubt}
	switch {
	case sure >= 0.8:
		n.Class = coordination.ConfidenceHigh
	case sure >= 0.4:
		n.Class = coordination.ConfidenceMedium
	}
	all := []signals.Any{coordination.Draft(n)}
	if sure < 0.8 {
		all = append(all, coordination.Draft(coordination.Note{Class: coordination.EscalationUncertainty, Summary: fmt.Sprintf("%.2f is not sure enough", sure)}))
	} else if !alarm.IsZero() {
		all = append(all, coordination.Resolution(alarm))
	}
	return all
}

// before returns the grade and the escalation of earlier turns.
func before(t *agents.Turn) (doubt, alarm signals.ID) {
	for _, s := range t.Said {
		switch s.Kind() {
		case coordination.KindConfidence:
			doubt = s.Head().ID
		case coordination.KindEscalation:
			alarm = s.Head().ID
		}
	}
	return doubt, alarm
}

// reviewer doubts what its author is not sure of.
func reviewer(id string) *agents.Agent {
	return &agents.Agent{
		ID: id, Listens: []signals.Kind{signals.KindProposal}, CanEmit: []signals.Kind{signals.KindVote, signals.KindDoubt},
		Reactor: agents.On(func(_ context.Context, s *signals.Signal[signals.Proposal]) iter.Seq2[signals.Any, error] {
			if s.Confidence < 0.95 {
				return agents.Emit(signals.New(signals.Header{Confidence: 0.9}, signals.Doubt{
					TargetSignalID: s.ID, Concern: "too few samples", Severity: signals.Medium,
				}))
			}
			return agents.Emit(agents.Agree(s.Payload.ProposalID, 0.9, "that many samples do not lie"))
		}),
	}
}
