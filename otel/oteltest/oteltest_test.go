package oteltest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/otel/oteltest"
)

func tree() []oteltest.Span {
	at := time.Unix(100, 0)
	root := oteltest.Span{Trace: "t", ID: "1", Name: "solve", Kind: "INTERNAL", Status: "Unset", Start: at, End: at.Add(time.Second)}
	one := oteltest.Span{
		Trace: "t", ID: "2", Parent: "1", Name: "publish vote", Kind: "PRODUCER", Status: "Unset", Start: at, End: at,
		Attributes: map[string]string{"swarmbus.seq": "1", "messaging.message.id": "sig_1"},
		Events:     []oteltest.Event{{Name: "seen"}},
		Links:      []oteltest.Link{{Trace: "t", Span: "1", Attributes: map[string]string{"swarmbus.link": "origin"}}},
	}
	two := one
	two.ID = "3"
	return []oteltest.Span{root, one, two}
}

func TestTreeShowsAllSpans(t *testing.T) {
	const want = `solve INTERNAL
  publish vote PRODUCER ×2
    . messaging.message.id=… swarmbus.seq=1
    ! seen
    > swarmbus.link=origin to solve
`
	if got := oteltest.Tree(tree()); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	if got := oteltest.Tree(tree(), "messaging.message.id"); strings.Contains(got, "message.id") {
		t.Errorf("what is hidden is shown:\n%s", got)
	}
}

func TestEveryProblemIsFound(t *testing.T) {
	for name, spoil := range map[string]func(all []oteltest.Span){
		"":                  func([]oteltest.Span) {},
		"has not ended":     func(all []oteltest.Span) { all[1].End = time.Time{} },
		"is not there":      func(all []oteltest.Span) { all[1].Parent = "9" },
		"began later":       func(all []oteltest.Span) { all[0].Start = all[0].Start.Add(time.Millisecond) },
		"another trace":     func(all []oteltest.Span) { all[1].Trace = "u" },
		"a root with links": func(all []oteltest.Span) { all[0].Links = all[1].Links },
		"a link to":         func(all []oteltest.Span) { all[1].Links = []oteltest.Link{{Span: "9"}} },
		"message.id in":     func(all []oteltest.Span) { all[1].Name = "publish sig_1" },
		"status Ok":         func(all []oteltest.Span) { all[0].Status = "Ok" },
		"status Error":      func(all []oteltest.Span) { all[0].Status = "Error" },
		"status Unset":      func(all []oteltest.Span) { all[1].Attributes = map[string]string{"error.type": "timeout"} },
		"an id in its name": func(all []oteltest.Span) { all[1].Name = "publish 0123456789abcdef" },
	} {
		all := tree()
		spoil(all)
		got := strings.Join(oteltest.Problems(all), "\n")
		if clean := name == ""; clean != (got == "") || !clean && !strings.Contains(got, name) {
			t.Errorf("got %q, want %q", got, name)
		}
	}
}

func TestSpansOfJSONAreThoseOfOTLP(t *testing.T) {
	const answer = `{"result":{"resourceSpans":[{"scopeSpans":[{"spans":[{
		"traceId":"t","spanId":"1","parentSpanId":"0","name":"n","kind":5,"startTimeUnixNano":"1","endTimeUnixNano":"2",
		"attributes":[{"key":"s","value":{"stringValue":"x"}},{"key":"i","value":{"intValue":"7"}},{"key":"b","value":{"boolValue":true}},
			{"key":"d","value":{"doubleValue":0.5}},{"key":"a","value":{"arrayValue":{"values":[{"stringValue":"y"},{"stringValue":"z"}]}}}],
		"events":[{"name":"e"}],"links":[{"traceId":"t","spanId":"2"}],"status":{"code":2,"message":"m"}}]}]}]}}`
	spans, err := oteltest.FromJSON(strings.NewReader(answer))
	if err != nil || len(spans) != 1 {
		t.Fatal(spans, err)
	}
	s := spans[0]
	if s.Kind != "CONSUMER" || s.Status != "Error" || s.Problem != "m" || s.Parent != "0" || s.End.Sub(s.Start) != 1 ||
		s.Attributes["s"]+s.Attributes["i"]+s.Attributes["b"]+s.Attributes["d"]+s.Attributes["a"] != "x7true0.5[y z]" ||
		s.Events[0].Name != "e" || s.Links[0].Span != "2" {
		t.Errorf("got %+v", s)
	}
}
