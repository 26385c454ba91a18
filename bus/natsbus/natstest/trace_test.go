package natstest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/otel/oteltest"
)

// A collector keeps the spans that processes send, and which process sent each.
type collector struct {
	mu    sync.Mutex // protects the fields below
	spans []oteltest.Span
	by    map[string]string // instance, by the id of a span
}

// receive starts a collector, to which the processes of this test send.
func receive(t *testing.T) *collector {
	c := &collector{by: map[string]string{}}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = c.add(body)
		}
		if err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL)
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	return c
}

func (c *collector) add(body []byte) error {
	var all collectortrace.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &all); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range all.ResourceSpans {
		text, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(&collectortrace.ExportTraceServiceRequest{ResourceSpans: append(all.ResourceSpans[:0:0], of)})
		if err != nil {
			return err
		}
		spans, err := oteltest.FromJSON(strings.NewReader(`{"result":` + string(text) + `}`))
		if err != nil {
			return err
		}
		for _, a := range of.Resource.Attributes {
			for _, s := range spans {
				if a.Key == "service.instance.id" {
					c.by[s.ID] = a.Value.GetStringValue()
				}
			}
		}
		c.spans = append(c.spans, spans...)
	}
	return nil
}

// What the processes of agents do is part of the driver's trace, nothing is in it twice, and each
// signal of the log has a span.
func TestSolveOnManyMachinesIsOneTrace(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	url, _ := scripted(t)
	server := natstest.Start(t, natstest.Options{})[0]
	c := receive(t)
	common := []string{"--nats", server.URL(), "--model", "openai:large", "--otel"}
	var agents []*talk
	for _, id := range []string{"planner", "critic", "verifier"} {
		agents = append(agents, startTalk(t, append([]string{"agent", "--as", id, "--base-url", url}, common...)...))
	}
	solve := append([]string{"solve", "Which retry policy?", "--mode", "deliberate"}, common...)
	log, errs := runCommand(t, append(solve, "--log")...)
	for _, a := range agents {
		_ = a.cmd.Process.Signal(os.Interrupt)
		if err := a.cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, a.text())
		}
	}
	for _, problem := range oteltest.Problems(c.spans) {
		t.Error(problem)
	}
	byID, turns := map[string]*oteltest.Span{}, map[string]int{}
	published, roots := 0, 0
	for i := range c.spans {
		byID[c.spans[i].ID] = &c.spans[i]
	}
	for _, s := range c.spans {
		switch verb, who, _ := strings.Cut(s.Name, " "); verb {
		case "invoke_workflow":
			roots++
		case "publish":
			published++
		case "invoke_agent", "take_turn":
			turns[verb+" "+who+" "+s.Attributes["swarmbus.round"]]++
		}
		if s.Trace != c.spans[0].Trace {
			t.Errorf("%s is in another trace than %s", s.Name, c.spans[0].Name)
		}
		want := map[string]string{"take_turn": "invoke_agent", "chat": "take_turn"}[strings.Fields(s.Name)[0]]
		if want == "" {
			continue
		}
		in := byID[s.Parent]
		if in == nil || in.Name != want+" "+s.Attributes["gen_ai.agent.name"] || in.Attributes["swarmbus.thread"] != s.Attributes["swarmbus.thread"] {
			t.Errorf("%s of %s is inside of %+v", s.Name, s.Attributes["gen_ai.agent.name"], in)
		} else if one := c.by[s.ID] == c.by[in.ID]; one != (want == "take_turn") {
			t.Errorf("%s is of the process %s, and %s of %s", s.Name, c.by[s.ID], in.Name, c.by[in.ID])
		}
	}
	if said := strings.Count(log, "\n"); roots != 1 || published != said || said < 11 || len(turns) < 12 {
		t.Errorf("%d solves, %d publishes of %d signals, turns: %v", roots, published, said, turns)
	}
	for turn, n := range turns {
		if elsewhere := turns[strings.Replace(turn, "invoke_agent", "take_turn", 1)]; n != 1 || elsewhere != 1 {
			t.Errorf("%s: %d spans, and %d in the process of the agent", turn, n, elsewhere)
		}
	}
	if t.Failed() {
		t.Logf("%s\n%s", errs, oteltest.Tree(c.spans))
	}
}
