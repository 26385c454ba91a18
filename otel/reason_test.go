package otel_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/otel"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// asks is an agent that escalates a question.
func asks() *agents.Agent {
	return agent("asker", signals.KindProposal, signals.New(signals.Header{}, signals.Escalation{Reason: "hush"}))
}

// ofSolve returns the attributes of the only solve.
func ofSolve(t *testing.T, r *trace) map[string]string {
	t.Helper()
	for _, s := range r.spans(t) {
		if strings.HasPrefix(s.Name, "invoke_workflow") {
			return s.Attributes
		}
	}
	t.Fatal("there is no solve")
	return nil
}

func TestEscalatedSolveNamesTheAgentThatAsks(t *testing.T) {
	for name, test := range map[string]struct {
		content func(signals.Kind, string, string) string
		want    string
	}{
		"without content": {nil, `escalated by asker: reached "a": 2 of 2 agree, all of the weight; 70 % is needed; 2 voted, the quorum is 2; 91 % that it is right, by the votes alone`},
		"with content":    {otel.Redact, `escalated by asker: hush; reached "a": 2 of 2 agree, all of the weight; 70 % is needed; 2 voted, the quorum is 2; 91 % that it is right, by the votes alone`},
	} {
		r := newTrace(t, otel.Options{Content: test.content})
		r.solve(t, swarm.Options{Agents: []*agents.Agent{proposer("p", "a"), voter("v", "a"), voter("w", "a"), asks()}, Quorum: 2})
		about := ofSolve(t, r)
		if about["swarmbus.reason"] != test.want || about["swarmbus.escalated_by"] != "asker" {
			t.Errorf("%s: got %q by %q, want %q", name, about["swarmbus.reason"], about["swarmbus.escalated_by"], test.want)
		}
	}
}

func TestCancelledSolveDoesNotReadAsDecided(t *testing.T) {
	r := newTrace(t, otel.Options{})
	ctx, cancel := context.WithCancelCause(t.Context())
	stops := agent("stops", signals.KindTask)
	stops.Reactor = agents.Each(func(context.Context, signals.Any) seq {
		cancel(errors.New("hush"))
		return agents.Emit()
	})
	s, err := swarm.New(swarm.Options{Hook: r, Agents: append(team(), stops)})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = s.Solve(ctx, signals.Task{Task: "which one?"})
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if why := ofSolve(t, r)["swarmbus.reason"]; !strings.HasPrefix(why, "cancelled: ") || strings.Contains(why, "hush") {
		t.Errorf("got %q, want that it was cancelled, and not with what", why)
	}
}

func TestReasonKeepsTheFactsWhenATurnFailed(t *testing.T) {
	r := newTrace(t, otel.Options{})
	fails := agent("fails", signals.KindTask)
	fails.Reactor = agents.Each(func(context.Context, signals.Any) seq { return agents.Fail(errors.New("hush")) })
	stray := agent("stray", signals.KindProposal, signals.New(signals.Header{Confidence: 1},
		signals.Vote{ProposalID: "b", Stance: signals.Agree, Weight: 1}))
	r.solve(t, swarm.Options{Agents: []*agents.Agent{proposer("p", "a"), stray, voter("v", "a"), fails}, Quorum: 3})
	want := `deadlocked: 1 has voted; the quorum is 3; stray voted on "b", which does not count: unknown-proposal; fails failed in round 1: _OTHER`
	if got := ofSolve(t, r)["swarmbus.reason"]; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestRefusedSignalNamesTheRule has agents that break a rule each.
func TestRefusedSignalNamesTheRule(t *testing.T) {
	may := func(id string, kinds []signals.Kind, s signals.Any) *agents.Agent {
		a := agent(id, signals.KindTask, s)
		a.CanEmit = kinds
		return a
	}
	proposal := func(content string) signals.Any {
		return signals.New(signals.Header{}, signals.Proposal{ProposalID: "a", Content: content})
	}
	team := []*agents.Agent{
		may("reserved", nil, signals.New(signals.Header{}, signals.Consensus{ProposalID: "a", Decision: "hush"})),
		may("not-allowed", []signals.Kind{signals.KindVote}, proposal("hush")),
		may("first", nil, proposal("x")),
		may("taken", nil, proposal("hush")),
		may("invalid", nil, signals.New(signals.Header{}, signals.Doubt{Concern: "hush", Severity: signals.Low})),
		may("pretends", nil, signals.New(signals.Header{Source: "hush"}, signals.Discovery{Finding: "x"})),
		may("foreign", nil, signals.New(signals.Header{}, picky{"acme.example/picky"})),
		may("disguised", nil, signals.New(signals.Header{}, picky{signals.KindProposal})),
	}
	want := map[string]string{
		"reserved": "the kind is reserved for the system or a layer", "not-allowed": "not in CanEmit", "invalid": "targetSignalId: required",
		"taken": "the proposal id belongs to another proposal, by first", "pretends": "the source is another agent's", "foreign": "", "disguised": "",
	}
	for _, content := range []func(signals.Kind, string, string) string{nil, otel.Redact} {
		r := newTrace(t, otel.Options{Content: content})
		r.solve(t, swarm.Options{Agents: team, Limits: swarm.Limits{Rounds: 1}})
		got := map[string]string{}
		for _, s := range r.spans(t) {
			for _, e := range s.Events {
				if e.Name == "swarmbus.refused" {
					got[e.Attributes["swarmbus.source"]] = e.Attributes["swarmbus.reason"]
				}
			}
		}
		for agent, rule := range want {
			why, refused := got[agent]
			if !refused || content == nil && why != rule || content != nil && (!strings.Contains(why, ": ") || strings.HasPrefix(why, rule) && rule != "") {
				t.Errorf("content %v: %s was refused %v: %q, want %q", content != nil, agent, refused, why, rule)
			}
		}
	}
}

// A picky payload describes its errors in words of its own.
type picky struct{ claims signals.Kind }

func (picky) Kind() signals.Kind { return "acme.example/picky" }

func (p picky) Check(signals.Limits) error {
	return &signals.FieldError{Kind: p.claims, Field: "hush", Value: "x", Problem: "hush"}
}

// TestIDThatIsATextIsContent has proposals whose ids are more than ids, in
// every place where ids are recorded, with a watch and without.
func TestIDThatIsATextIsContent(t *testing.T) {
	const plain = "a-1.b_2:3/4"
	for _, id := range []string{`hush "bob@example.com", 1`, "hush-sk-abcdefghijklmnop1234", strings.Repeat("hush", 20)} {
		stray := agent("stray", signals.KindProposal, signals.New(signals.Header{Confidence: 1},
			signals.Vote{ProposalID: id + " hush", Stance: signals.Disagree, Weight: 1}))
		for name, o := range map[string]swarm.Options{
			"escalated": {Conflicts: settle.ByEscalation, Agents: []*agents.Agent{proposer("p", id), proposer("q", plain), voter("v", id), stray}},
			"reached":   {Agents: []*agents.Agent{proposer("p", id), proposer("q", plain), voter("v", id), voter("w", id)}},
			"tied":      {Agents: []*agents.Agent{proposer("p", id), proposer("q", plain), voter("v", id), voter("w", plain), stray}},
			"rejected":  {Agents: []*agents.Agent{proposer("p", id), unheard("v", id), unheard("w", id)}},
		} {
			watched := newTrace(t, otel.Options{})
			watched.solve(t, o)
			hooked := newTrace(t, otel.Options{})
			o.Hook = hooked
			if _, err := made(swarm.New(o)).Solve(t.Context(), signals.Task{Task: "which one?"}); err != nil {
				t.Fatal(err)
			}
			for _, r := range []*trace{watched, hooked} {
				text := fmt.Sprint(r.spans(t))
				if strings.Contains(text, "hush") {
					t.Errorf("%s: %q was recorded: %s", name, id, text)
				}
				if name != "rejected" && !strings.Contains(text, plain) || !strings.Contains(text, "id-") {
					t.Errorf("%s: an id that is one was not recorded", name)
				}
			}
			redacts := newTrace(t, otel.Options{Content: otel.Redact})
			redacts.solve(t, o)
			if text := fmt.Sprint(redacts.spans(t)); strings.Contains(text, "sk-") || strings.Contains(text, "@example") {
				t.Errorf("%s: %q was recorded with content: %s", name, id, text)
			}
		}
	}
}

// TestReasonQuotesNoAgentForAnyIDs has ids that look like the separators and
// words of a reason, beside an agent that fails, for every way to stop.
func TestReasonQuotesNoAgentForAnyIDs(t *testing.T) {
	fails := agent("fails", signals.KindTask)
	fails.Reactor = agents.Each(func(context.Context, signals.Any) seq { return agents.Fail(errors.New("hush; hush: hush")) })
	liar := agent("liar", signals.KindTask, signals.New(signals.Header{Source: "hush"}, signals.Proposal{ProposalID: "x", Content: "hush"}))
	for _, id := range []string{";", " ", "; ", ":", ": ", "a", `"`, ",", "d", "rounds", "proposals", `\`, "1", "and"} {
		stray := agent("stray", signals.KindProposal, signals.New(signals.Header{Confidence: 1},
			signals.Vote{ProposalID: id + ";", Stance: signals.Disagree, Weight: 1}))
		stops := map[string]bool{}
		for _, o := range []swarm.Options{
			{Agents: []*agents.Agent{proposer("p", id), voter("v", id), voter("w", id)}},
			{Agents: []*agents.Agent{proposer("p", id), unheard("v", id), unheard("w", id)}},
			{Agents: []*agents.Agent{proposer("p", id), proposer("q", id+id), voter("v", id), voter("w", id+id)}},
			{Agents: []*agents.Agent{proposer("p", id), proposer("q", id+id), voter("v", id)}, Conflicts: settle.ByEscalation},
			{Agents: []*agents.Agent{proposer("p", id), voter("v", id), asks()}},
			{Agents: []*agents.Agent{proposer("p", id), voter("v", id)}, Limits: swarm.Limits{Rounds: 1}},
			{Agents: []*agents.Agent{proposer("p", id), voter("v", id)}, Limits: swarm.Limits{Signals: 1}},
			{Agents: []*agents.Agent{}},
		} {
			r := newTrace(t, otel.Options{})
			o.Quorum, o.Agents = 2, append([]*agents.Agent{fails, liar, stray}, o.Agents...)
			result := r.solve(t, o)
			stops[result.Stop.String()] = true
			why := ofSolve(t, r)["swarmbus.reason"]
			if strings.Contains(fmt.Sprint(r.spans(t)), "hush") {
				t.Errorf("%q, %v: a text was recorded: %s", id, result.Stop, why)
			}
			if !strings.Contains(why, "fails failed in round 1: _OTHER") {
				t.Errorf("%q, %v: got %s, want that an agent failed", id, result.Stop, why)
			}
		}
		if len(stops) < 7 {
			t.Errorf("the solves stopped by %v, want more ways", stops)
		}
	}
}

// TestEscalationInTheNameOfTheSystemIsNotRepeated has a program that holds the
// system's handle.
func TestEscalationInTheNameOfTheSystemIsNotRepeated(t *testing.T) {
	for reason, want := range map[string]string{
		"hush": "proposals cannot both stand", "proposals hush hush and b cannot both stand": "proposals cannot both stand",
		"proposals a and b cannot both stand":     "proposals a and b cannot both stand",
		"proposals hush! and b cannot both stand": "proposals id-598f587e3314 and b cannot both stand",
		"proposals a and hush! cannot both stand": "proposals a and id-598f587e3314 cannot both stand",
	} {
		r := newTrace(t, otel.Options{})
		b := watched(t, r, nil)
		if _, err := b.System().Publish(t.Context(), signals.New(signals.Header{}, signals.Escalation{Reason: reason})); err != nil {
			t.Fatal(err)
		}
		if got := named(t, r, "publish escalate").Attributes["swarmbus.reason"]; got != want {
			t.Errorf("%q: got %q, want %q", reason, got, want)
		}
	}
}

// TestNameThatIsATextIsContent has names that an agent may choose, other than
// the ids of proposals.
func TestNameThatIsATextIsContent(t *testing.T) {
	for _, text := range []string{"hush hush", "日本語のhush", strings.Repeat("hush", 20), "hush-sk-abcdefghijklmnop1234", "password:hush"} {
		r := newTrace(t, otel.Options{Deliveries: true})
		b := watched(t, r, nil)
		sub := subscribe(t, b, bus.SubscribeOptions{Agent: "reader"})
		h := signals.Header{ID: signals.MustID(text), Thread: text}
		publish(t, b, "a", signals.New(h, signals.Proposal{ProposalID: text, Content: "x"}))
		publish(t, b, "a", signals.New(signals.Header{ReplyTo: h.ID, Thread: text}, signals.Doubt{TargetSignalID: signals.MustID(text + "!"), Concern: "x", Severity: signals.Low}))
		publish(t, b, "a", signals.New(signals.Header{}, signals.Raw{Type: signals.Kind(text), JSON: "{}"}))
		for range 3 {
			_, _ = sub.Poll()
		}
		spans := r.spans(t)
		if all := fmt.Sprint(spans); strings.Contains(all, "hush") || !strings.Contains(all, "id-") {
			t.Errorf("%q was recorded: %s", text, all)
		}
		named(t, r, "publish other")
	}
	r := newTrace(t, otel.Options{})
	publish(t, watched(t, r, nil), "a", signals.New(signals.Header{ID: signals.MustID("order-17"), Thread: "orders/17"}, tick{"on"}))
	if about := named(t, r, "publish acme.example/tick").Attributes; about["messaging.message.id"] != "order-17" || about["swarmbus.thread"] != "orders/17" {
		t.Errorf("got %v, want the identifiers", about)
	}
}

// unheard is an agent that votes against an unknown proposal.
func unheard(id, proposal string) *agents.Agent {
	a := agent(id, signals.KindTask, signals.New(signals.Header{Confidence: 1},
		signals.Vote{ProposalID: proposal, Stance: signals.Disagree, Weight: 1}))
	a.CanEmit = []signals.Kind{signals.KindVote}
	return a
}

func TestLogHasOnlyTheRecordablePartOfErrors(t *testing.T) {
	for _, content := range []func(signals.Kind, string, string) string{nil, otel.Redact} {
		var log bytes.Buffer
		r := newTrace(t, otel.Options{Content: content, Log: slog.New(slog.NewTextHandler(&log, nil))})
		r.solve(t, swarm.Options{Agents: gossips()})
		text := log.String()
		if strings.Contains(text, "sk-") || strings.Contains(text, "hush") != (content != nil) {
			t.Errorf("content %v: logged %s", content != nil, text)
		}
		if !strings.Contains(text, "turn failed") || !strings.Contains(text, "signal refused") {
			t.Errorf("got %s, want both of what went wrong", text)
		}
	}
}
