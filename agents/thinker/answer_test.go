package thinker_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
)

// votes is what an answer of the model comes to.
func votes(t *testing.T, answers ...string) (all []string, spent agents.Cost, err error) {
	out, spent, err := take(t, thinker.Thinker{ID: "critic", Model: answering(answers...)}, turn())
	for _, s := range out {
		if v, ok := signals.As[signals.Vote](s); ok {
			all = append(all, fmt.Sprintf("%s %s %.2f %.2f %s", v.Payload.Stance, v.Payload.ProposalID, v.Payload.Weight, v.Confidence, v.Payload.Reasoning))
		}
	}
	return all, spent, err
}

// TestVotesComeFromTheModelsAnswer: who strongly disagrees disagrees, however
// sure of it; and who answers in prose is asked once more.
func TestVotesComeFromTheModelsAnswer(t *testing.T) {
	const disagree = `{"say":[{"type":"vote","proposal":"P1","stance":"disagree","reasons":"I strongly disagree, because it ignores Retry-After","confidence":0.97}]}`
	want := []string{"disagree ann-1 0.97 0.97 I strongly disagree, because it ignores Retry-After"}
	for name, answers := range map[string][]string{
		"at once":         {disagree},
		"in a fence":      {"```json\n" + disagree + "\n```"},
		"after the prose": {"I strongly disagree, because it ignores Retry-After.", disagree},
	} {
		got, spent, err := votes(t, answers...)
		if diff := cmp.Diff(want, got); diff != "" || err != nil || spent.Calls != len(answers) || spent.Repairs != len(answers)-1 || spent.Refusals != 0 {
			t.Errorf("%s: %v, spent %+v: %s", name, err, spent, diff)
		}
	}
}

func TestAVoteIsOneThatTheModelStated(t *testing.T) {
	const vote = `{"type":"vote","proposal":"P1","reasons":"r","stance":"agree","confidence":0.9}`
	for name, text := range map[string]string{
		"an array into another":      `{"say":[` + vote + `],"say":[{"type":"vote","proposal":"P1"}]}`,
		"two stances":                `{"say":[{"type":"vote","proposal":"P1","reasons":"r","stance":"disagree","stance":"agree","confidence":0.9}]}`,
		"a stance in capitals":       `{"say":[{"type":"vote","proposal":"P1","reasons":"r","stance":"disagree","confidence":0.9,"STANCE":"agree"}]}`,
		"a stance with a long s":     `{"say":[{"type":"vote","proposal":"P1","reasons":"r","stance":"disagree","confidence":0.9,"ſtance":"agree"}]}`,
		"a stance in capitals alone": `{"say":[{"type":"vote","proposal":"P1","reasons":"r","confidence":0.9,"Stance":"agree"}]}`,
		"a long s alone":             `{"say":[{"type":"vote","proposal":"P1","reasons":"r","confidence":0.9,"ſtance":"agree"}]}`,
		"what is said in capitals":   `{"SAY":[` + vote + `]}`,
		"a number with a sign":       `{"say":[` + strings.Replace(vote, "P1", "P+1", 1) + `]}`,
		"a number with zeros":        `{"say":[` + strings.Replace(vote, "P1", "P001", 1) + `]}`,
	} {
		said, spent, err := take(t, thinker.Thinker{ID: "critic", Model: answering(text, text)}, turn())
		if len(said) > 0 || spent.Refusals == 0 {
			t.Errorf("%s: said %v, %+v, %v", name, said, spent, err)
		}
	}
}

func TestNonsenseIsACountedRefusalAndNoVote(t *testing.T) {
	got, spent, err := votes(t, "mumble", "mumble mumble")
	var refused *thinker.RefusalError
	if len(got) != 0 || !errors.As(err, &refused) || spent.Repairs != 1 || spent.Refusals != 1 || spent.Calls != 2 {
		t.Errorf("votes %v, %v, spent %+v", got, err, spent)
	}
}

// TestInvalidElementIsRefusedAndTheOthersAreKept plays one answer twice: the repair is
// as bad.
func TestInvalidElementIsRefusedAndTheOthersAreKept(t *testing.T) {
	const good = `{"type":"vote","proposal":"P1","stance":"agree","reasons":"r","confidence":0.5}`
	for name, bad := range map[string]string{
		"an unknown proposal":       `{"type":"vote","proposal":"P2","stance":"agree","reasons":"r","confidence":0.5}`,
		"a proposal by its id":      `{"type":"vote","proposal":"ann-1","stance":"agree","reasons":"r","confidence":0.5}`,
		"a signal for a proposal":   `{"type":"vote","proposal":"S3","stance":"agree","reasons":"r","confidence":0.5}`,
		"no proposal":               `{"type":"vote","stance":"agree","reasons":"r","confidence":0.5}`,
		"a new one that is not":     `{"type":"vote","proposal":"new","stance":"agree","reasons":"r","confidence":0.5}`,
		"an unknown stance":         `{"type":"vote","proposal":"P1","stance":"strongly agree","reasons":"r","confidence":0.5}`,
		"no stance":                 `{"type":"vote","proposal":"P1","reasons":"r","confidence":0.5}`,
		"percent":                   `{"type":"vote","proposal":"P1","stance":"agree","reasons":"r","confidence":95}`,
		"less than nothing":         `{"type":"vote","proposal":"P1","stance":"agree","reasons":"r","confidence":-0.1}`,
		"no confidence":             `{"type":"vote","proposal":"P1","stance":"agree","reasons":"r"}`,
		"a vote that weighs naught": `{"type":"vote","proposal":"P1","stance":"agree","reasons":"r","confidence":0}`,
		"no reasons":                `{"type":"vote","proposal":"P1","stance":"disagree","confidence":0.5}`,
		"reasons that are none":     `{"type":"vote","proposal":"P1","stance":"disagree","reasons":" \n","confidence":0.5}`,
		"no reasons to abstain":     `{"type":"vote","proposal":"P1","stance":"abstain","reasons":"","confidence":0}`,
		"an empty finding":          `{"type":"discovery","finding":"","evidence":"","relevance":1,"confidence":1}`,
		"relevance out of range":    `{"type":"discovery","finding":"f","evidence":"","relevance":7,"confidence":1}`,
		"no relevance":              `{"type":"discovery","finding":"f","evidence":"","confidence":1}`,
		"a doubt about nothing":     `{"type":"doubt","about":"S99","concern":"c","severity":"low","confidence":1}`,
		"an unknown severity":       `{"type":"doubt","about":"S2","concern":"c","severity":"dire","confidence":1}`,
		"an empty challenge":        `{"type":"challenge","about":"P1","counterargument":"","alternative":"","confidence":1}`,
		"an empty proposal":         `{"type":"proposal","content":"","reasons":"r","confidence":1}`,
		"an unknown type":           `{"type":"decree","content":"obey"}`,
		"a kind of the system's":    `{"type":"consensus","proposal":"P1"}`,
	} {
		answer := fmt.Sprintf(`{"say":[%s,%s]}`, bad, good)
		got, spent, err := votes(t, answer, answer)
		var refused *thinker.RefusalError
		if !slices.Equal(got, []string{"agree ann-1 0.50 0.50 r"}) || !errors.As(err, &refused) || len(refused.Problems) != 1 || spent.Refusals != 1 || spent.Repairs != 1 {
			t.Errorf("%s: votes %v, %v, spent %+v", name, got, err, spent)
		}
	}
	unknown := `{"say":[{"type":"vote","proposal":"new","stance":"agree","reasons":"r","confidence":0.5}]}`
	if _, _, err := votes(t, unknown, unknown); err == nil || !strings.Contains(err.Error(), `there is no proposal "new"`) {
		t.Errorf("a new proposal that is not: %v", err)
	}
	twice := fmt.Sprintf(`{"say":[%s,%s]}`, good, strings.Replace(good, "agree", "disagree", 1))
	if got, _, err := votes(t, twice, twice); len(got) != 1 || err == nil {
		t.Errorf("two votes on one proposal: %v, %v", got, err)
	}
}

// TestVotesAndDoubtsReferToTheirProposal has two of them.
func TestVotesAndDoubtsReferToTheirProposal(t *testing.T) {
	two := turn()
	two.Proposals = append(two.Proposals, agents.Standing{Proposal: said(9, "bob", 2, signals.Proposal{ProposalID: "bob-1", Content: "retry at once"})})
	out, _, err := take(t, thinker.Thinker{ID: "critic", Model: answering(`{"say":[
		{"type":"vote","proposal":"P2","stance":"disagree","reasons":"r","confidence":0.5},
		{"type":"challenge","about":"P2","counterargument":"a stampede","alternative":"","confidence":0.6},
		{"type":"doubt","about":"P1","concern":"slow","severity":"low","confidence":0.6}]}`)}, two)
	if err != nil || len(out) != 3 {
		t.Fatalf("%v, %v", out, err)
	}
	vote, challenge, doubt := out[0].Body().(signals.Vote), out[1].Body().(signals.Challenge), out[2].Body().(signals.Doubt)
	if vote.ProposalID != "bob-1" || challenge.TargetSignalID != signals.MustID("sig_9") || out[1].Head().ReplyTo != signals.MustID("sig_9") || doubt.TargetSignalID != signals.MustID("sig_3") {
		t.Errorf("got %+v, %+v, %+v", vote, challenge, doubt)
	}
}

func TestAVoteThatWeighsNothingIsRefusedWithAdvice(t *testing.T) {
	m := answering(`{"say":[{"type":"vote","proposal":"P1","stance":"agree","reasons":"r","confidence":0}]}`, pass)
	if _, _, err := take(t, thinker.Thinker{ID: "critic", Model: m}, turn()); err != nil {
		t.Fatal(err)
	}
	if asked := m.requests[1].Messages[len(m.requests[1].Messages)-1].Text; !strings.Contains(asked, "abstain, or say how sure you are") {
		t.Errorf("the repair says %q", asked)
	}
}

func TestAnswersThatAreNoObjectOfTheFormAreRefused(t *testing.T) {
	for _, answer := range []string{
		"", "null", "[]", `"yes"`, `{}`, `{"say":null}`, `{"say":{}}`, pass + pass, pass + " so be it", `{"say":[` + strings.Repeat(`{"type":"pass","reason":""},`, 8) + `{"type":"pass","reason":""}]}`,
		`{"say":[{"type":"vote","proposal":"P1","stance":"agree","confidence":"high"}]}`,
	} {
		got, spent, err := votes(t, answer, answer)
		if len(got) != 0 || err == nil || spent.Refusals != 1 {
			t.Errorf("%q: votes %v, %v, spent %+v", answer, got, err, spent)
		}
	}
}

func TestRepairNamesTheProblemAndMayMendIt(t *testing.T) {
	m := answering(`{"say":[{"type":"vote","proposal":"P7","stance":"agree","reasons":"r","confidence":0.5}]}`, pass)
	if _, _, err := take(t, thinker.Thinker{ID: "critic", Model: m}, turn()); err != nil {
		t.Fatal(err)
	}
	last := m.requests[1].Messages[len(m.requests[1].Messages)-1]
	if !strings.Contains(last.Text, `there is no proposal "P7"`) || last.Role != models.RoleUser {
		t.Errorf("the repair says %q", last.Text)
	}
}

func TestAnAnswerThatWasCutOffIsAskedForAgain(t *testing.T) {
	n := 0
	m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
		if n++; n == 1 {
			return &models.Answer{Text: `{"say":[{"type":"pa`, Finish: models.FinishLength}, nil
		}
		if r.Most != 4096 {
			t.Errorf("asked again for at most %d tokens", r.Most)
		}
		if !strings.Contains(r.Messages[len(r.Messages)-1].Text, "too long") {
			t.Errorf("asked again by %q", r.Messages[len(r.Messages)-1].Text)
		}
		return models.Text(pass), nil
	}}
	if _, spent, err := take(t, thinker.Thinker{ID: "critic", Model: m}, turn()); err != nil || spent.Repairs != 1 {
		t.Errorf("%v, %+v", err, spent)
	}
}

func TestEverythingThatAnAgentCanSayBecomesASignal(t *testing.T) {
	out, _, err := take(t, thinker.Thinker{ID: "critic", Model: answering(`{"say":[
		{"type":"discovery","finding":"f","evidence":"e","relevance":0.5,"confidence":0.9},
		{"type":"proposal","content":"c","reasons":"r","confidence":0.7},
		{"type":"vote","proposal":"new","stance":"agree","reasons":"mine","confidence":0.7},
		{"type":"vote","proposal":"P1","stance":"abstain","reasons":"r","confidence":0},
		{"type":"doubt","about":"S2","concern":"c","severity":"high","confidence":0.6},
		{"type":"challenge","about":"P1","counterargument":"a","alternative":"b","confidence":0.6},
		{"type":"escalation","reason":"r","context":"c"},
		{"type":"pass","reason":"p"}]}`)}, turn())
	if err != nil {
		t.Fatal(err)
	}
	want := []signals.Payload{
		signals.Discovery{Finding: "f", Evidence: "e", Relevance: 0.5},
		signals.Proposal{ProposalID: "critic-1", Content: "c", Reasoning: "r"},
		signals.Vote{ProposalID: "critic-1", Stance: signals.Agree, Reasoning: "mine", Weight: 0.7},
		signals.Vote{ProposalID: "ann-1", Stance: signals.Abstain, Reasoning: "r"},
		signals.Doubt{TargetSignalID: signals.MustID("sig_2"), Concern: "c", Severity: signals.High},
		signals.Challenge{TargetSignalID: signals.MustID("sig_3"), CounterArgument: "a", AlternativeProposal: "b"},
		signals.Proposal{ProposalID: "critic-alternative-3-6", Content: "b", Reasoning: "a"},
		signals.Escalation{Reason: "r", Context: "c"},
		agents.Passed{Reason: "p"},
	}
	var got []signals.Payload
	for _, s := range out {
		got = append(got, s.Body())
		if s.Head().Source != "critic" || s.Head().Thread != "t" {
			t.Errorf("from %+v", s.Head())
		}
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b signals.ID) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
}

func TestANegativeZeroIsLoggedAsZero(t *testing.T) {
	out, _, err := take(t, thinker.Thinker{ID: "critic", Model: answering(`{"say":[
		{"type":"discovery","finding":"f","evidence":"e","relevance":-0.0,"confidence":-0.0},
		{"type":"vote","proposal":"P1","stance":"abstain","reasons":"r","confidence":-0.0}]}`)}, turn())
	if err != nil || len(out) != 2 {
		t.Fatal(out, err)
	}
	for _, s := range out {
		said := []float64{s.Head().Confidence}
		switch body := s.Body().(type) {
		case signals.Discovery:
			said = append(said, body.Relevance)
		case signals.Vote:
			said = append(said, body.Weight)
		}
		for _, x := range said {
			if x != 0 || math.Signbit(x) {
				t.Errorf("%T says %v", s.Body(), x)
			}
		}
	}
}

func TestAVoteOnAProposalThatWasRefusedIsRefused(t *testing.T) {
	const vote = `{"type":"vote","proposal":"new","stance":"agree","reasons":"mine","confidence":0.7}`
	answer := func(elements ...string) string { return `{"say":[` + strings.Join(elements, ",") + `]}` }
	proposal := func(content, confidence string) string {
		return fmt.Sprintf(`{"type":"proposal","content":%q,"reasons":"r","confidence":%s}`, content, confidence)
	}
	for name, c := range map[string]struct {
		answer string
		may    []signals.Kind
		want   []signals.Kind
	}{
		"too sure":               {answer(proposal("c", "2"), vote), nil, nil},
		"without content":        {answer(proposal("", "1"), vote), nil, nil},
		"not its to make":        {answer(proposal("c", "1"), vote), []signals.Kind{signals.KindVote}, nil},
		"one of two, the second": {answer(proposal("", "1"), proposal("c", "1"), vote), nil, []signals.Kind{signals.KindProposal, signals.KindVote}},
		"none, the vote first":   {answer(vote, proposal("c", "1")), nil, []signals.Kind{signals.KindProposal, signals.KindVote}},
	} {
		out, _, err := take(t, thinker.Thinker{ID: "critic", Model: answering(c.answer, c.answer), CanEmit: c.may}, turn())
		var got []signals.Kind
		for _, s := range out {
			got = append(got, s.Kind())
		}
		var refused *thinker.RefusalError
		if !slices.Equal(got, c.want) || (c.want == nil || strings.HasPrefix(name, "one of two")) != errors.As(err, &refused) {
			t.Errorf("%s: said %v, %v", name, got, err)
		}
	}
}

func TestLongAnswersMakeNoLongErrorsAndPrompts(t *testing.T) {
	for name, text := range map[string]string{
		"a long number":      `{"say":[{"type":"vote","confidence":` + strings.Repeat("9", 1<<19) + `}]}`,
		"one that is unread": `{"say":[{"type":"vote","x":` + strings.Repeat("9", 1<<19) + `}]}`,
		"a number as text":   `{"say":[{"type":"vote","confidence":"` + strings.Repeat("9", 1<<19) + `"}]}`,
		"no JSON":            strings.Repeat("garbage ", 1<<16),
	} {
		var asked []*models.Request
		m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
			again := *r
			asked = append(asked, &again)
			return models.Text(text), nil
		}}
		_, err := thinker.Thinker{ID: "critic", Model: m}.Agent().Take(t.Context(), turn())
		var refused *thinker.RefusalError
		if !errors.As(err, &refused) || len(err.Error()) > 500 || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %.700v", name, err)
		}
		for _, m := range asked[1].Messages {
			if len(m.Text) > 49<<10 || strings.Contains(m.Text, "Go struct") {
				t.Errorf("%s: a message of %d bytes", name, len(m.Text))
			}
		}
	}
}

func TestReasonsThatShowNothingAreMissing(t *testing.T) {
	for _, reasons := range []string{" ", `\u200b\u2060`, `\u0000`, `\ud800`, `\u3164 \n`} {
		text := `{"say":[{"type":"proposal","content":"c","reasons":"r","confidence":1},{"type":"vote","proposal":"new","reasons":"` + reasons + `","stance":"agree","confidence":1}]}`
		m := models.Script(text, text)
		_, err := thinker.Thinker{ID: "critic", Model: m}.Agent().Take(t.Context(), turn())
		if err == nil || !strings.Contains(err.Error(), "reasons are missing") {
			t.Errorf("reasons %q: %v", reasons, err)
		}
	}
}
