package thinker_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// shown is a request as text.
func shown(r *models.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "=== system\n%s\n", r.System)
	for _, m := range r.Messages {
		fmt.Fprintf(&b, "=== %s\n%s\n", m.Role, m.Text)
	}
	schema, _ := json.MarshalIndent(r.Schema.JSON, "", "  ")
	fmt.Fprintf(&b, "=== most %d, schema %s\n%s\n", r.Most, r.Schema.Name, schema)
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

func TestPromptsAreAsTheyWere(t *testing.T) {
	for name, change := range map[string]func(*thinker.Thinker, *agents.Turn){
		"third": func(*thinker.Thinker, *agents.Turn) {},
		"first": func(_ *thinker.Thinker, t *agents.Turn) {
			t.Round, t.New, t.Heard, t.Said, t.Proposals = 1, t.Heard[:1], nil, nil, nil
		},
		"firstvoter": func(th *thinker.Thinker, t *agents.Turn) {
			th.CanEmit = []signals.Kind{signals.KindDiscovery, signals.KindVote}
			t.Round, t.New, t.Heard, t.Said, t.Proposals = 1, t.Heard[:1], nil, nil, nil
		},
		"cheap":   func(_ *thinker.Thinker, t *agents.Turn) { t.Effort = signals.Cheap },
		"voter":   func(th *thinker.Thinker, _ *agents.Turn) { th.CanEmit = []signals.Kind{signals.KindVote} },
		"debate":  func(_ *thinker.Thinker, t *agents.Turn) { debate(t, false) },
		"answer":  func(_ *thinker.Thinker, t *agents.Turn) { debate(t, true) },
		"against": func(_ *thinker.Thinker, t *agents.Turn) { t.Against = t.Proposals[0].ID() },
		"traits": func(th *thinker.Thinker, _ *agents.Turn) {
			th.Personality = agents.Personality{Curiosity: 1, Caution: 0.9, Conformity: 0.1, Verbosity: 0.2}
		},
	} {
		m := answering(pass)
		th, turn := thinker.Thinker{ID: "critic", Role: "You look for what can go wrong.", Model: m}, turn()
		change(&th, turn)
		if _, _, err := take(t, th, turn); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		golden(t, name, shown(m.requests[0]))
	}
}

// TestNoVoteIsAskedForBeforeThereIsAProposal reads the last message and the schema, which
// are those of the turn.
func TestNoVoteIsAskedForBeforeThereIsAProposal(t *testing.T) {
	for name, c := range map[string]struct {
		kinds     []signals.Kind
		proposals bool
		says      string
		votes     string // in the schema
	}{
		"may propose":     {nil, false, "nothing to vote on but a proposal of your own.", `["new"]`},
		"may not propose": {[]signals.Kind{signals.KindDiscovery, signals.KindVote}, false, "nothing to vote on.", ""},
		"later":           {[]signals.Kind{signals.KindDiscovery, signals.KindVote}, true, "The proposals as they stand", `["P1"]`},
	} {
		m, turn := answering(pass), turn()
		if !c.proposals {
			turn.Proposals = nil
		}
		if _, _, err := take(t, thinker.Thinker{ID: "critic", Model: m, CanEmit: c.kinds}, turn); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		r := m.requests[0]
		_, votes, has := strings.Cut(string(r.Schema.JSON), `"proposal":{"enum":`)
		if last := r.Messages[len(r.Messages)-1].Text; !strings.Contains(last, c.says) || has != (c.votes != "") || !strings.HasPrefix(votes, c.votes) {
			t.Errorf("%s: the turn says %q, and the schema has votes on %.20s", name, last, votes)
		}
	}
}

// debate makes a turn one of a debate about its proposal and one that the agent made,
// beside a proposal that has lost.
func debate(t *agents.Turn, answers bool) {
	standing := func(id string, lost bool) agents.Standing {
		s := said(20, "critic", 2, signals.Proposal{ProposalID: id, Content: "do " + id})
		p, _ := signals.As[signals.Proposal](s)
		return agents.Standing{Proposal: p, Lost: lost}
	}
	t.Proposals = append(slices.Clone(t.Proposals), standing("critic-1", false), standing("critic-2", true))
	t.Debate = &agents.Debate{For: t.Proposals[1], Against: t.Proposals[0], Round: 2, Answers: answers}
}

// TestThePrefixOfATurnIsThatOfTheTurnBefore is what providers' caches need.
func TestThePrefixOfATurnIsThatOfTheTurnBefore(t *testing.T) {
	m := answering(pass, pass)
	th := thinker.Thinker{ID: "critic", Model: m}
	third := turn()
	fourth := turn()
	fourth.Round, fourth.Heard, fourth.New = 4, slices.Concat(fourth.Heard, fourth.New), []signals.Any{said(8, "ann", 3, signals.Discovery{Finding: "more"})}
	fourth.Said = append(fourth.Said, said(7, "critic", 3, signals.Vote{ProposalID: "ann-1", Stance: signals.Agree, Weight: 0.8}))
	for _, turn := range []*agents.Turn{third, fourth} {
		if _, _, err := take(t, th, turn); err != nil {
			t.Fatal(err)
		}
	}
	before, after := m.requests[0], m.requests[1]
	stable := before.Messages[:len(before.Messages)-1] // but for how the proposals stand
	if diff := cmp.Diff(stable, after.Messages[:len(stable)]); diff != "" || before.System != after.System || string(before.Schema.JSON) != string(after.Schema.JSON) {
		t.Errorf("the prefix changed: %s", diff)
	}
}

// TestEarlierSignalsAreShownInTheAnswersFormat has a model answer again what it
// is shown as its own answer.
func TestEarlierSignalsAreShownInTheAnswersFormat(t *testing.T) {
	for _, effort := range []signals.Effort{signals.Cheap, signals.Fast} {
		var own string
		m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
			for _, m := range r.Messages {
				if m.Role == models.RoleAssistant {
					own = m.Text
				}
			}
			return models.Text(own), nil
		}}
		turn := turn()
		turn.Effort = effort
		turn.Said = append(turn.Said, said(7, "critic", 2, signals.Vote{ProposalID: "ann-1", Stance: signals.Agree, Reasoning: "mine"}), said(8, "critic", 2, signals.Discovery{Finding: "f", Evidence: "e", Relevance: 0.25}))
		turn.Inbox = inbox()
		notes := []coordination.Note{
			{Class: coordination.ConfidenceLow, Summary: "shaky", Confidence: coordination.Graded(0.3)},
			{Class: coordination.EscalationInterrupt, Summary: "stop", Priority: coordination.Critical},
			{Class: coordination.HandoffPartial, Summary: "half", Details: "the rest follows"},
		}
		for i, n := range notes {
			notes[i] = n.Defaulted()
			turn.Said = append(turn.Said, coordination.New(said(uint64(20+i), "critic", 2, signals.Memory{}).Header, n.Defaulted()))
		}
		turn.Said = append(turn.Said, said(30, "critic", 2, coordination.Transition{State: coordination.Resolved, Signals: []signals.ID{signals.MustID("sig_11")}}),
			said(31, "critic", 2, coordination.Transition{State: coordination.Superseded, Signals: []signals.ID{signals.MustID("sig_9")}}),
			said(32, "critic", 2, signals.Escalation{Reason: "which one?", Context: "both fit"}))
		out, spent, err := take(t, coordinator(&asked{Scripted: m}), turn)
		if err != nil || len(out) != 3+len(notes)+2 || spent.Repairs != 0 {
			t.Fatalf("%v: of %s: %v, %v", effort, own, out, err)
		}
		if vote, found := out[1].Body().(signals.Vote), out[2].Body().(signals.Discovery); vote.Reasoning != "mine" || found != (signals.Discovery{Finding: "f", Evidence: "e", Relevance: 0.25}) {
			t.Errorf("%v: of %s: %+v, %+v", effort, own, vote, found)
		}
		for i, n := range notes {
			if diff := cmp.Diff(n, *coordination.NoteOf(out[3+i]), cmp.Comparer(func(a, b signals.ID) bool { return a == b })); diff != "" {
				t.Errorf("%v: of %s: %s", effort, own, diff)
			}
		}
	}
}

func TestPromptIsBounded(t *testing.T) {
	m := answering(pass)
	full := turn()
	full.Round, full.Heard, full.New = 201, nil, nil
	for i := range uint64(40) {
		p := said(2000+i, fmt.Sprint("agent-", i), 200, signals.Proposal{ProposalID: fmt.Sprint("p", i), Content: strings.Repeat("z", 5000), Reasoning: strings.Repeat("w", 5000)})
		full.Proposals = append(full.Proposals, agents.Standing{Proposal: p})
	}
	for i := range uint64(200) {
		full.Heard = append(full.Heard, said(10+i, "ann", int32(i), signals.Discovery{Finding: strings.Repeat("x", 5000)}))
		full.New = append(full.New, said(1000+i, "ann", 200, signals.Discovery{Finding: strings.Repeat("y", 5000)}))
	}
	if _, _, err := take(t, thinker.Thinker{ID: "critic", Model: m, Prompt: 10_000, Text: 300}, full); err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, m := range m.requests[0].Messages {
		size += len(m.Text)
	}
	text := shown(m.requests[0])
	if size > 32_000 || size < 20_000 || !strings.Contains(text, "older lines are left out") || !strings.Contains(text, "turns are left out") || !strings.Contains(text, "S1199") || !strings.Contains(text, "Which retry policy?") {
		t.Errorf("%d bytes went in", size)
	}
	state := m.requests[0].Messages[len(m.requests[0].Messages)-1].Text
	held := positions(state)
	if len(state) > 10_100 || strings.Count(state, `{"proposal":"P`) != 41 || len(held) == 0 || !strings.Contains(held[len(held)-1], `"agent-39"`) {
		t.Errorf("%d bytes of how it stands, of what others hold %d: %s", len(state), len(held), state)
	}
}

// positions are the lines of what others hold.
func positions(state string) (all []string) {
	_, held, _ := strings.Cut(state, "What the others hold of them:\n")
	for l := range strings.Lines(held) {
		if strings.HasPrefix(l, "{") {
			all = append(all, strings.TrimSpace(l))
		}
	}
	return all
}

// TestOthersPositionsAreShownWithNumberAndReason also where the agent does not listen to
// votes; its own position is not among them.
func TestOthersPositionsAreShownWithNumberAndReason(t *testing.T) {
	third := turn()
	p := &third.Proposals[0]
	p.Votes = append(p.Votes, said(7, "carl", 2, signals.Vote{ProposalID: "ann-1", Stance: signals.Abstain, Reasoning: "no numbers"}), said(8, "critic", 2, signals.Vote{ProposalID: "ann-1", Stance: signals.Agree, Reasoning: "mine"}))
	m := answering(`{"say":[{"type":"doubt","about":"S7","concern":"then measure","severity":"low","confidence":0.6}]}`)
	out, _, err := take(t, thinker.Thinker{ID: "critic", Model: m}, third)
	if err != nil || len(out) != 1 || out[0].Body().(signals.Doubt).TargetSignalID != signals.MustID("sig_7") {
		t.Errorf("a doubt about a vote: %v, %v", out, err)
	}
	want := []string{
		`{"ref":"S3","from":"ann","of":"P1","proposed":true,"holds":"agree","why":"it spreads load","confidence":0.80}`,
		`{"ref":"S6","from":"bob","of":"P1","holds":"disagree","why":"too slow","confidence":0.80}`,
		`{"ref":"S7","from":"carl","of":"P1","holds":"abstain","why":"no numbers","confidence":0.80}`,
	}
	if diff := cmp.Diff(want, positions(m.requests[0].Messages[len(m.requests[0].Messages)-1].Text)); diff != "" {
		t.Error(diff)
	}
}

// TestPersonalityIsHowItIsAskedAndHowLongItAnswers has the same turn for agents of
// opposite traits.
func TestPersonalityIsHowItIsAskedAndHowLongItAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		p      agents.Personality
		effort signals.Effort
		words  int
		say    string
	}{
		"nowhere":      {agents.Personality{}, 0, 95, "not by how many are for it"},
		"brief":        {agents.Personality{Verbosity: 0, Conformity: 0.1}, signals.Fast, 30, "Judge for yourself, whatever others say. Be brief. Your traits, from 0 to 1: curiosity 0.0, caution 0.0, conformity 0.1, verbosity 0.0."},
		"at length":    {agents.Personality{Verbosity: 1, Curiosity: 1}, signals.Fast, 256, "Look for what others have not seen."},
		"more":         {agents.Personality{Verbosity: 1, Caution: 1}, signals.Deep, 600, "Ask for evidence before you agree."},
		"less":         {agents.Personality{Verbosity: 0.5, Conformity: 1}, signals.Cheap, 47, "Give weight to what others agree on."},
		"within bound": {agents.Personality{Verbosity: 1}, signals.Cheap, 64, "Explain your reasons in full."},
	} {
		m := answering(pass, pass)
		turn := turn()
		turn.Effort = c.effort
		if _, _, err := take(t, thinker.Thinker{ID: "critic", Model: m, Personality: c.p}, turn); err != nil {
			t.Fatal(err)
		}
		r := m.requests[0]
		if last := r.Messages[len(r.Messages)-1].Text; !strings.HasSuffix(last, fmt.Sprintf("\nYour answer, in at most %d words:", c.words)) || !strings.Contains(r.System, c.say) {
			t.Errorf("%s: asked by %q to answer %q", name, r.System, last)
		}
		if strings.Contains(r.System, "not by how many") != (c.p == agents.Personality{}) {
			t.Errorf("%s: conformity is asked for and forbidden: %q", name, r.System)
		}
	}
}

func TestPromptsCanBeReplacedAndAreTriedOut(t *testing.T) {
	p, err := thinker.LoadPrompts(fstest.MapFS{"system.md": {Data: []byte("I am {{.ID}}: {{.Role}}")}})
	if err != nil {
		t.Fatal(err)
	}
	m := answering(pass)
	if _, _, err := take(t, thinker.Thinker{ID: "critic", Role: "r", Model: m, Prompts: p}, turn()); err != nil || m.requests[0].System != "I am critic: r" {
		t.Errorf("%v, %q", err, m.requests[0].System)
	}
	for _, bad := range []string{"{{.Nobody}}", "{{", "{{range .ID}}x{{end}}"} {
		if _, err := thinker.LoadPrompts(fstest.MapFS{"system.md": {Data: []byte(bad)}}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
