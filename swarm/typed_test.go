package swarm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

type incident struct {
	Severity int    `json:"severity"`
	Owner    string `json:"owner"`
}

// stating is an agent that proposes a content and votes for it, once.
func stating(id, content string) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.Func(func(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
		return func(yield func(signals.Any, error) bool) {
			h := signals.Header{Confidence: 0.9}
			if len(t.Said) == 0 && yield(signals.New(h, signals.Proposal{ProposalID: id + "-1", Content: content}), nil) {
				yield(signals.New(h, signals.Vote{ProposalID: id + "-1", Stance: signals.Agree, Weight: 0.9, Reasoning: "r"}), nil)
			}
		}
	})}
}

func statingAll(contents ...string) (all []*agents.Agent) {
	for i, content := range contents {
		all = append(all, stating(fmt.Sprintf("a%d", i+1), content))
	}
	return all
}

func TestASolveIsAboutValues(t *testing.T) {
	for _, by := range []mode.Mode{mode.Deliberate, mode.Vote} {
		o := swarm.Options{Mode: by, Seed: 1, Journal: &journal.Memory{}, Agents: statingAll(
			`{"severity":5,"owner":"Ann"}`, `{ "owner": "\u0041nn", "severity": 5.0 }`, `{"owner":"Ann","severity":5e0}`, `{"owner":"ann","severity":5}`, `{"owner":"Bob","severity":5}`,
		)}
		s, err := swarm.New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r, err := swarm.Solve[incident](t.Context(), s, signals.Task{Task: "How bad is it, and whose?"})
		if err != nil || r.Value != (incident{5, "Ann"}) || r.Answer != `{"owner":"Ann","severity":5}` {
			t.Fatalf("%v: got %+v, answer %s, stop %v %s: %v", by, r.Value, r.Answer, r.Stop, r.Detail, err)
		}
		if got := len(r.Proposals[0].Same); got < 1 {
			t.Errorf("%v: %d proposals of the value are one", by, got+1)
		}
		if by == mode.Deliberate {
			want := []solves.Field{
				{Path: "owner", Value: json.RawMessage(`"Ann"`), Agree: 3, Of: 5, Other: []solves.Other{{Value: json.RawMessage(`"Bob"`), By: []string{"a5"}}, {Value: json.RawMessage(`"ann"`), By: []string{"a4"}}}},
				{Path: "severity", Value: json.RawMessage(`5`), Agree: 5, Of: 5},
			}
			if diff := cmp.Diff(want, r.Fields()); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		}
		all, err := s.Results()
		if err != nil || len(all) != 1 || !cmp.Equal(all[0].Fields(), r.Fields()) || all[0].Answer != r.Answer {
			t.Errorf("%v: the journal has another result: %v", by, err)
		}
		if d, err := s.Replay(r.Log); err != nil || d.Choice != r.Decision.Choice {
			t.Errorf("%v: a replay chooses %q, not %q: %v", by, d.Choice, r.Decision.Choice, err)
		}
	}
}

func TestWhatDoesNotConformIsNoProposal(t *testing.T) {
	hostile := []string{
		`severity 5`, `{"severity":"5","owner":"Ann"}`, `{"severity":5}`, `{"severity":5,"owner":"Ann","severity":1}`, `{"severity":5,"owner":"Ann"} {}`,
		`{"severity":9007199254740993,"owner":"Ann"}`, `{"severity":5,"owner":"Ann","approve":true}`, strings.Repeat("[", 20_000), `{"severity":5,"owner":"\ud800"}`,
	}
	for _, content := range hostile {
		b, err := bus.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		s, err := swarm.New(swarm.Options{Bus: b, Quorum: 2, Agents: append(statingAll(content, `{"severity":5,"owner":"Ann"}`, `{"owner":"Ann","severity":5}`), &agents.Agent{
			ID: "z", CanEmit: []signals.Kind{}, Reactor: agents.Func(func(ctx context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
				return func(yield func(signals.Any, error) bool) {
					p, err := b.Agent("outsider", bus.Permissions{}) // beside the swarm
					if err == nil {
						_, err = p.Publish(ctx, signals.New(signals.Header{Thread: turn.Thread, Confidence: 1}, signals.Proposal{ProposalID: fmt.Sprint("o", turn.Round), Content: content}))
					}
					if err != nil {
						yield(nil, err)
					}
				}
			}),
		})})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r, err := swarm.Solve[incident](t.Context(), s, signals.Task{Task: "How bad is it?"})
		if err != nil || r.Value != (incident{5, "Ann"}) {
			t.Fatalf("%.40s: got %+v, %s %s: %v", content, r.Value, r.Stop, r.Detail, err)
		}
		for _, p := range r.Proposals {
			if p.Proposal.Payload.Content != r.Answer {
				t.Errorf("%.40s is a proposal of %v", content, p.Supporters())
			}
		}
		var wrong *signals.FieldError
		if len(r.Refused) == 0 || !errors.As(r.Refused[0].Err, &wrong) || wrong.Field != "content" {
			t.Errorf("%.40s: refused %+v", content, r.Refused)
		}
	}
}

func TestASolveWithASchemaGoesOn(t *testing.T) {
	contents := []string{`{"severity":5.0,"owner":"Ann"}`, `{"owner":"Ann","severity":5}`, `{"owner":"Bob","severity":5}`}
	whole := &journal.Memory{}
	solve := func(j journal.Store) *swarm.Swarm {
		s, err := swarm.New(swarm.Options{Seed: 7, Journal: j, Agents: statingAll(contents...), Clock: swarm.StepClock(time.Unix(0, 0), time.Millisecond)})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := solve(whole)
	want, err := swarm.Solve[incident](t.Context(), s, signals.Task{Task: "How bad is it?"})
	s.Close()
	if err != nil || want.Value.Owner != "Ann" {
		t.Fatalf("got %+v: %v", want.Value, err)
	}
	for n := 1; n < len(want.Log); n++ {
		if want.Log[n].Kind() == signals.KindConflict {
			continue // which is published with its proposal
		}
		s := solve(nil)
		r, err := s.Resume(t.Context(), want.Log[:n], nil)
		if err != nil || r.Answer != want.Answer || !cmp.Equal(r.Fields(), want.Fields()) {
			t.Errorf("cut after %d signals: %v %q: %v", n, r.Stop, r.Answer, err)
		}
		s.Close()
	}
}

func TestASchemaThatIsNoneIsRefused(t *testing.T) {
	var wrong *signals.FieldError
	s, err := swarm.New(swarm.Options{Agents: statingAll("x")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, of := range []string{`[]`, `{"$ref":"#"}`, `{`} {
		if _, err := s.Solve(t.Context(), signals.Task{Task: "t", Schema: of}); !errors.As(err, &wrong) || wrong.Field != "schema" {
			t.Errorf("%s: got %v", of, err)
		}
	}
	if _, err := swarm.Solve[chan int](t.Context(), s, signals.Task{Task: "t"}); err == nil {
		t.Error("a channel is an answer")
	}
}
