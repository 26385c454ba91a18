package swarm_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// hearing is what was heard by agents whose turns run at once.
type hearing struct {
	mu  sync.Mutex
	all []string
}

func (h *hearing) add(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, what)
}

// wonders returns an agent that escalates in the first round, and notes the answers that it hears.
func wonders(id, question string, heard *hearing) *agents.Agent {
	return reacts(id, func(_ context.Context, t *agents.Turn) seq {
		for _, s := range t.New {
			if said, ok := signals.As[signals.Memory](s); ok {
				heard.add(id + ": " + said.Payload.Content)
			}
		}
		if t.Round == 1 {
			return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Escalation{Reason: question}))
		}
		return agents.Emit()
	})
}

// Both are open, and are answered by their ids in any order. The solve goes on when both are.
func TestTwoQuestionsOfARoundAreBothAnswered(t *testing.T) {
	for name, left := range map[string]bool{"by resuming": false, "left in the journal": true} {
		t.Run(name, func(t *testing.T) {
			var heard hearing
			j := &journal.Memory{}
			opts := swarm.Options{Agents: []*agents.Agent{wonders("ann", "May I?", &heard), wonders("bob", "May we?", &heard)}, Journal: j}
			s := startOn(t, opts)
			r := solve(t, s)
			if left {
				shutdown(t, s)
			}
			if len(r.Questions) != 2 || !r.Questions[0].Open || !r.Questions[1].Open {
				t.Fatalf("%s: %+v", r.Stop, r.Questions)
			}
			answers := func(to int, text string) error {
				said := signals.New(signals.Header{Source: "eve", Confidence: 1}, signals.Memory{Content: text, Category: "answer"})
				if to >= 0 {
					said.ReplyTo = signals.MustID(r.Questions[to].ID)
				}
				if left {
					return solves.Leave(t.Context(), j, r.Thread, said)
				}
				again, err := s.Resume(t.Context(), r.Log, said)
				if err == nil {
					r = again
				}
				return err
			}
			field := (*signals.FieldError)(nil)
			if err := answers(-1, "To whom?"); !errors.As(err, &field) || field.Field != "replyTo" || !strings.Contains(err.Error(), r.Questions[1].ID) {
				t.Errorf("an answer without a name: %v", err)
			}
			if err := answers(1, "You may."); err != nil {
				t.Fatal(err)
			}
			if !left && (r.Stop != runlog.StopEscalated || !strings.HasPrefix(r.Detail, "May I?") || !r.Questions[0].Open || r.Questions[1].Open || len(heard.all) > 0) {
				t.Errorf("%s (%s) after one answer, heard.all %q: %+v", r.Stop, r.Detail, heard.all, r.Questions)
			}
			if err := answers(1, "Or not."); !errors.As(err, new(*runlog.AnsweredError)) {
				t.Errorf("a second answer: %v", err)
			}
			if err := answers(0, "No."); err != nil {
				t.Fatal(err)
			}
			if left {
				s = startOn(t, opts)
				var err error
				if r, err = s.Resume(t.Context(), r.Log, nil); err != nil {
					t.Fatal(err)
				}
			}
			shutdown(t, s)
			if r.Stop == runlog.StopEscalated || len(heard.all) != 4 {
				t.Errorf("%s (%s), heard.all %q", r.Stop, r.Detail, heard.all)
			}
			for i, want := range []string{"No.", "You may."} {
				if a := r.Questions[i].Answer; a == nil || a.Signal.Body().(signals.Memory).Content != want {
					t.Errorf("the answer to %q: %+v", r.Questions[i].Reason, a)
				}
			}
		})
	}
}
