package swarm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm"
)

// mailed returns the signal in the inbox of a turn whose summary has a word, or nil.
func mailed(t *agents.Turn, word string) *coordination.Signal {
	for _, s := range t.Inbox {
		if strings.Contains(s.Summary, word) {
			return &s
		}
	}
	return nil
}

// coordinated returns the signal of a line of a scenario that coordinates: "VERB WORDS",
// "sure GRADE WORDS", or "settle WORD" of something in the inbox; nil for other verbs.
func coordinated(t *agents.Turn, verb, first, rest string) signals.Any {
	n := coordination.Note{Summary: strings.TrimSpace(first + " " + rest)}
	switch verb {
	case "look":
		n.Class, n.Audience = coordination.AttentionRaise, coordination.All
	case "alarm":
		n.Class = coordination.EscalationInterrupt
	case "critical":
		n.Class, n.Priority = coordination.EscalationInterrupt, coordination.Critical
	case "handoff":
		n.Class = coordination.HandoffReady
	case "clash":
		n.Class, n.Confidence = coordination.ConflictActive, coordination.Graded(0.2)
	case "sure":
		grade, err := strconv.ParseFloat(first, 64)
		if err != nil {
			panic(first)
		}
		n.Class, n.Summary, n.Confidence = coordination.ConfidenceLow, rest, coordination.Graded(grade)
		if grade >= 0.8 {
			n.Class = coordination.ConfidenceHigh
		}
	case "settle":
		if s := mailed(t, first); s != nil {
			return coordination.Resolution(s.ID)
		}
		return coordination.Resolution(signals.MustID("sig_unknown"))
	default:
		return nil
	}
	return coordination.Draft(n)
}

// coordinatedLine returns the line of a log about an entry of the layer; "" if it has
// none. summaries are those of the signals so far.
func coordinatedLine(s signals.Any, summaries map[signals.ID]string) string {
	h := s.Head()
	if n := coordination.NoteOf(s); n != nil {
		summaries[h.ID] = n.Summary
		return fmt.Sprintf("%s %s", h.Source, n)
	}
	switch p := s.Body().(type) {
	case coordination.Transition:
		if p.State == coordination.Active {
			return ""
		}
		var all []string
		for _, id := range p.Signals {
			all = append(all, summaries[id])
		}
		return fmt.Sprintf("%s by %s: %s", p.State, h.Source, strings.Join(all, ", "))
	case connectivity.Members:
		return p.String()
	}
	return ""
}

// A consensus that was announced while something was open is found in a log.
func TestAConsensusOverAnOpenEscalationIsFound(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/coordination/alarm.txtar")
	if err != nil {
		t.Fatal(err)
	}
	whole, forged := new(journal.Memory), new(journal.Memory)
	act(t, archive.Files[0].Data, whole)
	for record, err := range whole.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		record.Body = bytes.ReplaceAll(record.Body, []byte(`"state":"resolved"`), []byte(`"state":"active"`))
		if _, err := forged.Append(record); err != nil {
			t.Fatal(err)
		}
	}
	var difference *swarm.Difference
	if _, err := replayed(t, forged); !errors.As(err, &difference) || !strings.Contains(difference.Derived, "the data are wrong") {
		t.Errorf("got %v", err)
	}
}

// An agent may say in the layer what its CanEmit lists, and nothing else.
func TestAnAgentCoordinatesOnlyAsItMay(t *testing.T) {
	t.Parallel()
	look := coordination.Note{Class: coordination.AttentionRaise, Audience: coordination.All, Summary: "look"}
	ready := coordination.Note{Class: coordination.HandoffReady, Audience: coordination.All, Summary: "ready"}
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		{ID: "a", CanEmit: []signals.Kind{coordination.KindAttention}, Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
			if turn.Round > 1 {
				return agents.Emit()
			}
			return agents.Emit(coordination.Draft(look), coordination.Draft(ready), coordination.Draft(coordination.Note{Class: coordination.AttentionRaise}))
		})},
		{ID: "b", Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
			for _, heard := range turn.New {
				if heard.Kind() != signals.KindTask {
					t.Errorf("heard %s", heard.Kind())
				}
			}
			return agents.Emit()
		})},
	}})
	r, err := s.Solve(t.Context(), signals.Task{Task: "x"})
	if err != nil || r.Turns.Refused != 2 {
		t.Errorf("%d refused, %v: %s", r.Turns.Refused, err, r.Detail)
	}
}

// A program's layer is used, and the mode that its hook requests is the effort of the
// next turns.
func TestTheModeOfAnEscalationIsTheEffortOfTheNextTurns(t *testing.T) {
	t.Parallel()
	b, err := bus.New(&bus.Options{Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	layer, err := connectivity.New(b, &connectivity.Options{Hook: func(context.Context, coordination.Signal) (signals.Effort, error) {
		return signals.Fast, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	var efforts []signals.Effort
	s := newSwarm(t, swarm.Options{Bus: b, Layer: layer, Agents: []*agents.Agent{
		{ID: "a", Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
			if turn.Round > 1 {
				return agents.Emit()
			}
			return agents.Emit(coordination.Draft(coordination.Note{Class: coordination.EscalationUncertainty, Audience: coordination.All, Summary: "too vague"}))
		})},
		{ID: "b", Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
			efforts = append(efforts, turn.Effort)
			return agents.Emit()
		})},
	}})
	r, err := s.Solve(t.Context(), signals.Task{Task: "x"})
	if err != nil || !slices.Equal(efforts, []signals.Effort{0, signals.Fast}) || !strings.Contains(r.Detail, "too vague") {
		t.Errorf("efforts %v, %v: %s", efforts, err, r.Detail)
	}
	if c := layer.Converged(r.Thread); len(c.Obstacles) != 1 {
		t.Errorf("the program's layer says %v", c)
	}
}

// Whatever agents say to coordinate, a solve ends within its bounds, with one reason, and
// what is open and the decision never contradict each other.
func TestObstaclesAndDecisionNeverContradict(t *testing.T) {
	t.Parallel()
	verbs := []string{"look x", "alarm x", "critical x", "handoff x", "clash x", "sure 0.3 x", "sure 0.9 x", "settle x", "agree p 0.9"}
	rapid.Check(t, func(r *rapid.T) {
		script := "rounds 6\n"
		if rapid.Bool().Draw(r, "coordinator") {
			script += "coordinator c\n"
		}
		script += "a 1 propose p do it\n"
		for _, id := range []string{"a", "b", "c"} {
			for range rapid.IntRange(1, 6).Draw(r, "lines of "+id) {
				script += fmt.Sprintf("%s %d %s\n", id, rapid.IntRange(1, 4).Draw(r, "round"), rapid.SampledFrom(verbs).Draw(r, "verb"))
			}
		}
		o, _ := scene(t, []byte(script))
		o.Signals = 40
		s, err := swarm.New(o)
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		result, err := s.Solve(t.Context(), signals.Task{Task: "x"})
		if err != nil || result.Stop == 0 || result.Stop == swarm.StopDeadline || result.Rounds > 6 {
			r.Fatalf("%s\nended with %v after %d rounds: %v", script, result.Stop, result.Rounds, err)
		}
		thread := connectivity.NewThread()
		for _, said := range result.Log {
			if said.Kind() != connectivity.KindClosed {
				thread.Apply(said)
			}
		}
		open := thread.Converged().Obstacles
		switch reached := result.Decision.Outcome == consensus.Reached; {
		case result.Stop == swarm.StopConsensus && len(open) > 0:
			r.Fatalf("%s\na consensus over %v", script, open)
		case reached && result.Stop != swarm.StopConsensus && result.Stop != swarm.StopEscalated && !strings.Contains(result.Detail, open[0].String()):
			r.Fatalf("%s\n%v for no reason: %s", script, result.Stop, result.Detail)
		}
	})
}
