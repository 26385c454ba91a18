package reporting_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/bustest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/reporting"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A worker has at most four open escalations, and asks six times.
func TestEscalationAnsweredByResumeIsDecided(t *testing.T) {
	for _, kind := range []reports.EscalationKind{reports.Help, reports.Approval} {
		b := newBus(t)
		p, err := b.Agent("conductor", bus.Permissions{CanEmit: []signals.Kind{signals.KindEscalation}})
		if err != nil {
			t.Fatal(err)
		}
		desk := newDesk(t, b, reporting.Escalate(p))
		listen(t, desk)
		ann, asked := worker(t, desk, "ann"), []signals.ID(nil)
		react := func(ctx context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
			n := fmt.Sprint(len(asked))
			r := asking("ann", n, "question "+n)
			r.TaskID, r.Escalations[0].Kind = turn.Thread, kind
			filed, err := ann.Report(ctx, encoded(t, r))
			if err != nil {
				return agents.Fail(err)
			}
			for _, a := range filed.Accepted {
				if a.Part == reports.PartEscalation {
					asked = append(asked, a.ID)
				}
			}
			return agents.Emit(signals.New(signals.Header{Confidence: 0.9}, signals.Discovery{Finding: "f" + n}))
		}
		s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{{ID: "ann", Reactor: agents.Func(react)}}, Bus: b, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Shutdown(context.Background()) }()
		result, err := s.Solve(t.Context(), signals.Task{Task: "x"})
		for i := range 5 {
			if err != nil {
				t.Fatal(err)
			}
			if result.Stop != runlog.StopEscalated || len(asked) != i+1 {
				t.Fatalf("%s: after %d answers: %s, %d asked", kind, i, result.Stop, len(asked))
			}
			answer := signals.New(signals.Header{Source: "lead", Confidence: 1}, signals.Memory{Content: fmt.Sprint("yes", i), Category: "answer", Importance: 1})
			want := reports.Answered
			if kind == reports.Approval { // a text alone does not close it
				field := (*signals.FieldError)(nil)
				if _, err := s.Resume(t.Context(), result.Log, answer); !errors.As(err, &field) || !strings.Contains(err.Error(), "begins with approve or refuse") {
					t.Fatalf("an approval is answered with %q: %v", answer.Payload.Content, err)
				}
				if q := result.Questions[i]; !q.Open || !q.Approval {
					t.Errorf("the question is closed: %+v", q)
				}
				want, answer.Payload.Content = reports.Refused, "Refuse: no."
			}
			result, err = s.Resume(t.Context(), result.Log, answer)
			if r, _ := desk.Request(asked[i]); r.Decision == nil || r.Decision.By != "lead" || r.Decision.Verdict != want {
				t.Errorf("after answer %d: %+v", i, r.Decision)
			}
		}
	}
}

// Whatever is accepted can be asked.
func TestTheLongestEscalationIsPassedOn(t *testing.T) {
	b := newBus(t)
	p, err := b.Agent("conductor", bus.Permissions{CanEmit: []signals.Kind{signals.KindEscalation}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := reporting.New(b, &reporting.Options{Conductor: reporting.Escalate(p), Gate: reports.Options{Open: 100}})
	if err != nil {
		t.Fatal(err)
	}
	ann, accepted := worker(t, d, "ann"), 0
	for n := range 15 { // then the report is too long
		r := asking("ann", fmt.Sprint(n), fmt.Sprint("question ", n))
		for i := range n {
			r.Escalations[0].Options = append(r.Escalations[0].Options, strings.Repeat(string(rune('a'+i)), 4096))
		}
		if n > 0 {
			r.Escalations[0].RecommendedOption = r.Escalations[0].Options[0]
		}
		filed := file(t, ann, r)
		if filed.ConductorErr != nil {
			t.Errorf("%d options: accepted, but %.300v", n, filed.ConductorErr)
		}
		if len(filed.Accepted) < 2 {
			continue
		}
		accepted++
		all := slices.Collect(b.History(bus.Filter{Kinds: []signals.Kind{signals.KindEscalation}}))
		e := all[len(all)-1].Head()
		if e.ReplyTo != filed.Accepted[1].ID {
			t.Errorf("%d options: the question replies to %s, not to the escalation", n, e.ReplyTo)
		}
	}
	if accepted < 10 || accepted > reports.MaxList {
		t.Errorf("%d accepted", accepted)
	}
}

// A report that is too long for a turn is refused where the turn is made, not by the bus.
func TestATurnThatIsMadeIsPublished(t *testing.T) {
	b := newBus(t)
	ann, err := b.Agent("ann", bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for size := 10; size < 120; size += 10 {
		for _, text := range []string{"x", `"`} { // a quote is four bytes in a string in a string
			r := asking("ann", "t", "which")
			for i := range size {
				r.Artifacts = append(r.Artifacts, reports.Artifact{ArtifactID: fmt.Sprint(i), Kind: "file", Ref: strings.Repeat(text, 1000)})
			}
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			s, err := reports.NewTurn("x", reports.Worker{ID: "ann", Task: "t"}, data)
			if err != nil {
				if !errors.Is(err, signals.ErrInvalid) || len(data) < 32<<10 {
					t.Errorf("%d bytes: %v", len(data), err)
				}
				continue
			}
			made++
			if _, err := ann.Publish(t.Context(), s); err != nil {
				t.Errorf("%d bytes: %.200v", len(data), err)
			}
			// A swarm reads its journal without the kinds.
			line, err := json.Marshal(signals.With(s, signals.Header{Source: "ann"}))
			if err == nil {
				_, err = signals.Unmarshal(line)
			}
			if err != nil {
				t.Errorf("%d bytes, read again: %.200v", len(data), err)
			}
		}
	}
	if made < 6 || made > 20 {
		t.Errorf("%d turns are made", made)
	}
}

// An answer decides what requires a person. One that comes when the escalation
// has expired is the solve's alone: no handler fails.
func TestAnAnswerIsAPersonsDecisionUntilTheEscalationExpires(t *testing.T) {
	for _, after := range []time.Duration{0, 24 * time.Hour, 24*time.Hour + 1} {
		late := after > 24*time.Hour
		b := bustest.New(t, nil)
		p, err := b.Agent("conductor", bus.Permissions{CanEmit: []signals.Kind{signals.KindEscalation}})
		if err != nil {
			t.Fatal(err)
		}
		desk := newDesk(t, b.Bus, reporting.Escalate(p))
		listen(t, desk)
		r := asking("ann", "t1", "no key")
		r.Escalations[0].RequiresHuman = true
		request := file(t, worker(t, desk, "ann"), r).Accepted[1].ID
		question := slices.Collect(b.History(bus.Filter{Kinds: []signals.Kind{signals.KindEscalation}}))
		if len(question) != 1 {
			t.Fatalf("%d questions", len(question))
		}
		b.Advance(after)
		answered := signals.New(signals.Header{Thread: "latency", ReplyTo: question[0].Head().ID, Confidence: 1}, runlog.Answered{By: "lead", AnswerID: request})
		if _, err := b.System().Publish(t.Context(), answered); err != nil {
			t.Fatal(err)
		}
		if r, _ := desk.Request(request); late == (r.Decision != nil) {
			t.Errorf("after %v: the decision is %+v", after, r.Decision)
		}
		if account := b.Stats().Account; account.DeadFailed != 0 {
			t.Errorf("after %v: a handler failed: %+v", after, account)
		}
	}
}
