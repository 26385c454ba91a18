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

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/solves"
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

// coordinated returns the signal of a line of a scenario that coordinates: a note, or
// "settle WORD" of something in the inbox; nil for other verbs.
func coordinated(t *agents.Turn, verb, first, rest string) signals.Any {
	if verb != "settle" {
		if n := noted(t, verb, first, rest); n.Class != 0 {
			return coordination.Draft(n)
		}
		return nil
	}
	if s := mailed(t, first); s != nil {
		return coordination.Resolution(s.ID)
	}
	return coordination.Resolution(signals.MustID("sig_unknown"))
}

// noted returns the note of "VERB WORDS", "sure GRADE WORDS", "over WORD NOTE", which
// replaces the agent's own with a word, or "for STEPS NOTE"; without a class for other verbs.
func noted(t *agents.Turn, verb, first, rest string) (n coordination.Note) {
	n.Summary = strings.TrimSpace(first + " " + rest)
	switch verb {
	case "over", "for":
		inner, words, _ := strings.Cut(rest, " ")
		then, more, _ := strings.Cut(words, " ")
		n = noted(t, inner, then, more)
		if verb == "over" {
			n.Replaces = ownNote(t, first)
			return n
		}
		steps, err := strconv.Atoi(first)
		if err != nil {
			panic(first)
		}
		n.ExpiresAfter = steps
	case "look":
		n.Class, n.Audience = coordination.AttentionRaise, coordination.All
	case "tell":
		n.Class, n.Audience = coordination.AttentionRaise, coordination.Coordinator
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
	}
	return n
}

// ownNote returns the id of the agent's last note with a word in its summary.
func ownNote(t *agents.Turn, word string) signals.ID {
	for _, s := range slices.Backward(t.Said) {
		if n := coordination.NoteOf(s); n != nil && strings.Contains(n.Summary, word) {
			return s.Head().ID
		}
	}
	return signals.MustID("sig_unknown")
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
	case coordination.Members:
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
	var difference *replay.Difference
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

// An agent that may emit a note may end its own, and what is refused is in the result
// with its thread.
func TestAnAgentThatMayEmitANoteMayEndItsOwn(t *testing.T) {
	t.Parallel()
	var id signals.ID
	ends := func(may ...signals.Kind) *solves.Result {
		s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{
			reacts("b", func(context.Context, *agents.Turn) seq { return agents.Emit() }),
			{ID: "a", CanEmit: may, Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
				switch {
				case turn.Round == 1 && may[0] == coordination.KindAttention:
					return agents.Emit(coordination.Draft(coordination.Note{Class: coordination.AttentionRaise, Audience: coordination.All, Summary: "look"}))
				case turn.Round == 2 || turn.Round == 1 && may[0] != coordination.KindAttention:
					for _, s := range turn.Inbox {
						id = s.ID
					}
					return agents.Emit(coordination.Resolution(id))
				}
				return agents.Emit()
			})},
		}})
		return solve(t, s)
	}
	r := ends(coordination.KindAttention)
	resolved := slices.ContainsFunc(r.Log, func(s signals.Any) bool {
		tr, ok := signals.As[coordination.Transition](s)
		return ok && tr.Source == "a" && tr.Payload.State == coordination.Resolved
	})
	if !resolved || len(r.Refused) != 0 {
		t.Errorf("ended: %v, refused: %v", resolved, r.Refused)
	}
	r = ends(signals.KindVote)
	if len(r.Refused) != 1 || !strings.Contains(r.Refused[0].Err.Error(), fmt.Sprintf("in thread %q", r.Thread)) {
		t.Errorf("refused %v", r.Refused)
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
	s := newSwarm(t, swarm.Options{Bus: b, Coordination: swarm.Coordination{Layer: layer}, Agents: []*agents.Agent{
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
