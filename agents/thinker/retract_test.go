package thinker_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
)

func TestModelRetractsItsOwnSignal(t *testing.T) {
	asked := turn()
	asked.Said = append(asked.Said, said(91, "critic", 1, signals.Discovery{Finding: "jitter helps", Relevance: 1}))
	asked.New = append(asked.New, said(92, "ada", 1, signals.Discovery{Finding: "limits help", Relevance: 1}))
	may := append(thinker.Says(), signals.KindRetraction)
	back := func(about string) string {
		return `{"say":[{"type":"retraction","about":"` + about + `","reasons":"it does not"}]}`
	}
	out, _, err := take(t, thinker.Thinker{ID: "critic", Model: answering(back("S91")), CanEmit: may}, asked)
	if err != nil || len(out) != 1 {
		t.Fatalf("%v, %v", out, err)
	}
	if got := out[0].Body(); got != (signals.Retraction{TargetSignalID: asked.Said[len(asked.Said)-1].Head().ID, Reason: "it does not"}) {
		t.Errorf("got %+v", got)
	}
	for _, about := range []string{"S92", "S999"} {
		if out, _, err := take(t, thinker.Thinker{ID: "critic", Model: answering(back(about), back(about)), CanEmit: may}, asked); err == nil || len(out) > 0 {
			t.Errorf("%s: %v, %v", about, out, err)
		}
	}
}
