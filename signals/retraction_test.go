package signals_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/signals"
)

var (
	found   = signals.Discovery{Finding: "the table is scanned", Relevance: 1}
	result  = signals.ToolResult{ToolName: "explain", Result: "a scan", TriggeredBy: "ann"}
	doubted = signals.Doubt{TargetSignalID: signals.MustID("s_1"), Concern: "is it?", Severity: signals.High}
)

// log returns signals made of pairs of a source and a payload.
func log(said ...any) (all []signals.Any) {
	for i := 0; i < len(said); i += 2 {
		n := uint64(i/2 + 1)
		h := signals.Header{Seq: n, ID: signals.MustID(fmt.Sprint("s_", n)), Thread: "t", Source: said[i].(string), Confidence: 1}
		switch p := said[i+1].(type) {
		case signals.Discovery:
			all = append(all, signals.New(h, p))
		case signals.ToolResult:
			all = append(all, signals.New(h, p))
		case signals.Proposal:
			all = append(all, signals.New(h, p))
		case signals.Vote:
			all = append(all, signals.New(h, p))
		case signals.Doubt:
			all = append(all, signals.New(h, p))
		case signals.Task:
			all = append(all, signals.New(h, p))
		case signals.Consensus:
			all = append(all, signals.New(h, p))
		case signals.Escalation:
			all = append(all, signals.New(h, p))
		case signals.Retraction:
			all = append(all, signals.New(h, p))
		}
	}
	return all
}

func back(n int) signals.Retraction {
	return signals.Retraction{TargetSignalID: signals.MustID(fmt.Sprint("s_", n)), Reason: "it was wrong"}
}

func TestTheAuthorOrTheOperatorRetractsASignal(t *testing.T) {
	t.Parallel()
	vote, plan := signals.Vote{ProposalID: "p", Stance: signals.Agree, Weight: 1}, signals.Proposal{ProposalID: "p", Content: "add an index"}
	for name, c := range map[string]struct {
		said []any
		by   string
		may  bool
	}{
		"a finding":                      {[]any{"ann", found}, "ann", true},
		"a finding, by the operator":     {[]any{"ann", found}, "system", true},
		"another one's finding":          {[]any{"ann", found}, "bob", false},
		"a vote":                         {[]any{"ann", vote}, "ann", true},
		"a proposal":                     {[]any{"ann", plan}, "ann", true},
		"a doubt":                        {[]any{"ann", doubted}, "ann", true},
		"what a tool returned to it":     {[]any{"tools", result}, "ann", true},
		"what its tool told another one": {[]any{"tools", result}, "tools", false},
		"the task":                       {[]any{"system", signals.Task{Task: "x"}}, "system", false},
		"a decision":                     {[]any{"system", signals.Consensus{ProposalID: "p", Decision: "x"}}, "system", false},
		"a question":                     {[]any{"ann", signals.Escalation{Reason: "x"}}, "ann", false},
		"a retraction":                   {[]any{"ann", found, "ann", back(1), "ann", back(2)}, "", false},
		"nothing of the thread":          {[]any{"ann", found, "ann", back(7)}, "", false},
	} {
		if c.by != "" {
			c.said = append(c.said, c.by, back(1))
		}
		all := log(c.said...)
		last := len(all) - 1
		var wrong *signals.FieldError
		err := signals.CheckRetraction(all[:last], all[last])
		if (err == nil) != c.may || !c.may && (!errors.As(err, &wrong) || wrong.Field != "targetSignalId" || wrong.Value == "") {
			t.Errorf("%s: %v", name, err)
		}
		target := all[last].Body().(signals.Retraction).TargetSignalID
		if f := signals.RetractionsOf(all); f.Has(target) != c.may {
			t.Errorf("%s: taken back %v, want %v", name, f.Has(target), c.may)
		}
	}
	if err := signals.CheckRetraction(nil, log("ann", found)[0]); err != nil {
		t.Errorf("a finding is no retraction: %v", err)
	}
}

func TestASignalRetractedTwiceIsRetractedOnce(t *testing.T) {
	t.Parallel()
	all := log("ann", found, "ann", back(1), "system", back(1))
	f := signals.RetractionsOf(all)
	if len(f.Said) != 1 || f.Said[0].Seq != 2 || !f.Any() {
		t.Errorf("%d retractions count, want the first", len(f.Said))
	}
	if f.Apply(all, all[2]) {
		t.Error("another one is said to change something")
	}
}

// Only the author of a retracted signal ends its retraction, by the same content.
func TestASignalItsAuthorStatesAgainIsNotRetracted(t *testing.T) {
	t.Parallel()
	plan := signals.Proposal{ProposalID: "p", Content: "add an index", Reasoning: "it is slow"}
	again, other := plan, plan
	again.ProposalID, other.Content = "q", "wait"
	for name, c := range map[string]struct {
		said  []any
		still string // taken back
	}{
		"the author":                {[]any{"ann", found, "ann", back(1), "ann", found}, ""},
		"what the operator took":    {[]any{"ann", found, "system", back(1), "ann", found}, "s_1"},
		"what both took":            {[]any{"ann", found, "ann", back(1), "system", back(1), "ann", found}, "s_1"},
		"another one":               {[]any{"ann", found, "ann", back(1), "bob", found}, "s_1"},
		"other words":               {[]any{"ann", found, "ann", back(1), "ann", signals.Discovery{Finding: "no", Relevance: 1}}, "s_1"},
		"one of two":                {[]any{"ann", found, "ann", doubted, "ann", back(1), "ann", back(2), "ann", found}, "s_2"},
		"a proposal by another id":  {[]any{"ann", plan, "ann", back(1), "ann", again}, ""},
		"another proposal":          {[]any{"ann", plan, "ann", back(1), "ann", other}, "s_1"},
		"a result of the same call": {[]any{"tools", result, "ann", back(1), "mcp", result}, ""},
	} {
		f := signals.RetractionsOf(log(c.said...))
		if f.Any() != (c.still != "") || c.still != "" && !f.Has(signals.MustID(c.still)) {
			t.Errorf("%s: any is taken back: %v, want %q", name, f.Any(), c.still)
		}
	}
}

func TestARetractionHasATargetAndAReason(t *testing.T) {
	t.Parallel()
	by := func(p signals.Retraction, name string) signals.Retraction { p.By = name; return p }
	for field, p := range map[string]signals.Retraction{
		"":               by(back(1), "ceo"),
		"targetSignalId": {Reason: "x"},
		"reason":         {TargetSignalID: signals.MustID("s_1")},
		"by":             by(back(1), "c\ne\no"),
	} {
		err := p.Check(signals.Limits{})
		var wrong *signals.FieldError
		if field == "" && err != nil || field != "" && (!errors.As(err, &wrong) || wrong.Field != field) {
			t.Errorf("%q: %v", field, err)
		}
	}
	if s := signals.Retract(signals.MustID("s_1"), "x"); s.Head().ReplyTo != signals.MustID("s_1") || s.Kind() != signals.KindRetraction {
		t.Errorf("%+v does not reply to what it takes back", s)
	}
}
