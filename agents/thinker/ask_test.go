package thinker_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
)

// asking is a turn of a mode that shows nothing, unless the facts of others.
func asking(part agents.Ask, facts ...signals.Any) *agents.Turn {
	t := turn()
	t.Ask, t.Heard, t.Said, t.Proposals, t.Debate = part, nil, nil, nil, nil
	t.New = facts
	return t
}

func TestModesPublishSignalsThatClaimNoOthersWork(t *testing.T) {
	may := append(thinker.Says(), signals.KindMemory, signals.KindRetraction)
	own := said(91, "critic", 1, signals.Discovery{Finding: "jitter helps", Relevance: 1})
	for part, want := range map[agents.Ask]string{
		agents.AskAnswer:  "discovery proposal escalation retraction memory pass",
		agents.AskFacts:   "discovery escalation retraction memory pass",
		agents.AskVerdict: "vote escalation retraction pass",
	} {
		for _, before := range []bool{true, false} {
			m, asked := answering(pass), asking(part)
			if asked.Proposals = turn().Proposals; before {
				asked.Said = []signals.Any{own}
			}
			if _, _, err := take(t, thinker.Thinker{ID: "critic", Model: m, CanEmit: may}, asked); err != nil {
				t.Fatal(err)
			}
			want := strings.Fields(want)
			if !before {
				want = slices.DeleteFunc(want, func(f string) bool { return f == "retraction" })
			}
			var got []string
			for line := range strings.Lines(m.requests[0].System) {
				if _, form, ok := strings.Cut(line, `{"type": "`); ok {
					got = append(got, form[:strings.IndexByte(form, '"')])
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v, after something said %v: offered %v, want %v", part, before, got, want)
			}
		}
	}
}

func TestEscalationOfAThinkerIsTakenInEveryPartOfAMode(t *testing.T) {
	const escalates = `{"say":[{"type":"escalation","reason":"May we?","context":"It cannot be undone."}]}`
	for _, part := range []agents.Ask{agents.AskAnswer, agents.AskFacts, agents.AskVerdict} {
		out, spent, err := take(t, thinker.Thinker{ID: "critic", Model: answering(escalates)}, asking(part))
		if err != nil || len(out) != 1 || out[0].Kind() != signals.KindEscalation || spent.Repairs > 0 {
			t.Errorf("%v: %v, %v, %+v", part, out, err, spent)
		}
	}
}

func TestAnAnswerByFactsRestsOnThoseItNames(t *testing.T) {
	facts := []signals.Any{
		said(31, "ada", 1, signals.Discovery{Finding: "limits help", Relevance: 1}),
		said(32, "bob", 1, signals.Discovery{Finding: "queues are short", Relevance: 1}),
		said(33, "bob", 1, signals.Discovery{Finding: "it rains", Relevance: 0.1}),
	}
	answer := `{"say":[{"type":"proposal","content":"limit","because":["S31","S32"],"reasons":"both say so","confidence":0.8}]}`
	m := answering(answer)
	out, _, err := take(t, thinker.Thinker{ID: "critic", Model: m}, asking(agents.AskAnswer, facts...))
	if err != nil || len(out) != 1 {
		t.Fatalf("%v, %v", out, err)
	}
	p, _ := signals.As[signals.Proposal](out[0])
	if p.ReplyTo != facts[0].Head().ID || !strings.Contains(p.Payload.Reasoning, facts[1].Head().ID.String()) || strings.Contains(p.Payload.Reasoning, facts[2].Head().ID.String()) {
		t.Errorf("it replies to %v for the reasons %q; want the first fact, and the id of the second", p.ReplyTo, p.Payload.Reasoning)
	}
	if text := string(m.requests[0].Schema.JSON); !strings.Contains(text, `"because":{"items":{"enum":["S31","S32","S33"]`) {
		t.Errorf("the schema does not offer the facts: %s", text)
	}
	// What nobody stated is dropped, with a reason, and nothing else is.
	const unknown = `{"say":[{"type":"proposal","content":"limit","because":["S99","S32"],"reasons":"r","confidence":0.8},{"type":"discovery","finding":"f","evidence":"e","relevance":1,"confidence":1}]}`
	m = answering(unknown, unknown)
	out, _, err = take(t, thinker.Thinker{ID: "critic", Model: m}, asking(agents.AskAnswer, facts...))
	if len(out) != 2 || out[0].Head().ReplyTo != facts[1].Head().ID {
		t.Errorf("%v: want the proposal by the fact that is known, and the discovery", out)
	}
	const why = `element 1 (proposal): because names "S99", which is not a fact that was shown; those are S31, S32, S33`
	if refused := (*thinker.RefusalError)(nil); !errors.As(err, &refused) || !slices.Equal(refused.Problems, []string{why}) || !strings.Contains(shown(m.requests[1]), why) {
		t.Errorf("got %v", err)
	}
	blind := answering(pass)
	if _, _, err := take(t, thinker.Thinker{ID: "critic", Model: blind}, asking(agents.AskAnswer)); err != nil || strings.Contains(shown(blind.requests[0])+string(blind.requests[0].Schema.JSON), "because") {
		t.Errorf("%v: where no facts are shown there is nothing to name", err)
	}
}

func TestWhoMayTakeBackIsShownItsOwnWordsByNumber(t *testing.T) {
	asked := turn()
	asked.Said = append(asked.Said, said(91, "critic", 1, signals.Discovery{Finding: "jitter helps", Relevance: 1}))
	for may, want := range map[bool]bool{true: true, false: false} {
		kinds := thinker.Says()
		if may {
			kinds = append(kinds, signals.KindRetraction)
		}
		m := answering(pass)
		if _, _, err := take(t, thinker.Thinker{ID: "critic", Model: m, CanEmit: kinds}, asked); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(shown(m.requests[0]), `{"ref":"S91","from":"critic"`); got != want {
			t.Errorf("may retract %v: shown %v", may, got)
		}
	}
}
