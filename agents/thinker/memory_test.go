package thinker_test

import (
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
)

// sharing is a thinker that may share facts.
func sharing(answers ...string) thinker.Thinker {
	return thinker.Thinker{ID: "critic", Model: answering(answers...), CanEmit: append(thinker.Says(), signals.KindMemory)}
}

func TestModelSharesAFactWithItsSources(t *testing.T) {
	const say = `{"say":[{"type":"memory","content":"jitter helps","category":"operations","about":"S2","importance":0.5,"confidence":0.8},` +
		`{"type":"memory","content":"so do limits","category":"operations","about":"","importance":1,"confidence":0.8}]}`
	out, _, err := take(t, sharing(say), turn())
	if err != nil || len(out) != 2 {
		t.Fatalf("%v, %v", out, err)
	}
	want := signals.Memory{Content: "jitter helps", Category: "operations", Importance: 0.5}
	if out[0].Body() != want || out[0].Head().ReplyTo.IsZero() || !out[1].Head().ReplyTo.IsZero() || out[0].Head().Confidence != 0.8 {
		t.Errorf("got %+v and %+v", out[0], out[1])
	}
	for _, wrong := range []string{
		strings.Replace(say, `"S2"`, `"S999"`, 1), strings.Replace(say, `"importance":0.5,`, "", 1), strings.Replace(say, "0.5", "7", 1), strings.Replace(say, "operations", "", 1),
	} {
		if out, _, err := take(t, sharing(wrong, wrong), turn()); err == nil || len(out) != 1 {
			t.Errorf("%s: %v, %v", wrong, out, err)
		}
	}
	if out, _, err := take(t, thinker.Thinker{ID: "critic", Model: answering(say, say)}, turn()); err == nil || len(out) > 0 {
		t.Errorf("a thinker that was not asked to: %v, %v", out, err)
	}
}

func TestModelSeesHowFarAFactCanBeReliedOnIfTheSystemRecalledIt(t *testing.T) {
	recalled := signals.Memory{Content: "jitter helps", Category: "c", Origin: signals.Origin{Fact: "f", State: "quarantined", Source: "ada"}}
	for source, want := range map[string]bool{"system": true, "eve": false} {
		asked := turn()
		asked.New = append(asked.New, said(90, source, 1, recalled))
		m := answering(`{"say":[{"type":"pass","reason":"x"}]}`)
		if _, _, err := take(t, thinker.Thinker{ID: "critic", Model: m}, asked); err != nil {
			t.Fatal(err)
		}
		text := shown(m.requests[0])
		if got := strings.Contains(text, `"state":"quarantined","said by":"ada"`); got != want || !strings.Contains(text, "jitter helps") {
			t.Errorf("from %s: state shown %v, want %v:\n%s", source, got, want, text)
		}
	}
}

func TestFactThatTheModelSharedIsShownToItAsAnAnswer(t *testing.T) {
	asked := turn()
	fact := said(91, "critic", 1, signals.Memory{Content: "jitter helps", Category: "c", Importance: 0.5})
	asked.Said = append(asked.Said, fact)
	m := answering(`{"say":[{"type":"pass","reason":"x"}]}`)
	th := sharing()
	th.Model = m
	if _, _, err := take(t, th, asked); err != nil {
		t.Fatal(err)
	}
	if text := shown(m.requests[0]); !strings.Contains(text, `"type":"memory","content":"jitter helps","category":"c","about":"","importance":0.5`) {
		t.Errorf("shown\n%s", text)
	}
}
