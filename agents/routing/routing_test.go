package routing_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
)

func stop() signals.Any { return signals.New(signals.Header{}, routing.Stop{Reason: "enough"}) }

func timer(name string) signals.Any { return signals.New(signals.Header{}, routing.Timer{Name: name}) }

func say(text string) signals.Any {
	return signals.New(signals.Header{}, routing.UserMessage{Text: text})
}

func newRouter(t testing.TB, c routing.Config) *routing.Router {
	t.Helper()
	r, err := routing.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// bank is a strategy that is not to be interrupted in a transaction.
func bank() routing.Strategy {
	return routing.Strategy{
		States: []routing.State{"idle", "transaction"},
		Edges:  []routing.Edge{{From: "idle", To: "transaction"}, {From: "transaction", To: "idle"}},
		Routes: []routing.Route{
			{Name: "begin", Kind: signals.KindTask, In: []routing.State{"idle"}, Action: routing.Transition("transaction")},
			{Name: "committed", Kind: signals.KindToolResult, In: []routing.State{"transaction"}, Action: routing.Transition("idle")},
			{Name: "do not disturb", Kind: routing.KindUserMessage, In: []routing.State{"transaction"}, Action: routing.Reject},
		},
	}
}

func TestStrategyGatesUserMessagesMidTransaction(t *testing.T) {
	m := newRouter(t, routing.Config{
		Strategy: bank(),
		Agent:    []routing.Route{{Name: "listen", Kind: routing.KindUserMessage, Action: routing.Continue, Priority: 100}},
		Plugins: []routing.Plugin{{Name: "eager", Routes: []routing.Route{
			{Kind: routing.KindUserMessage, Action: routing.ForceStop, Priority: 1_000_000},
		}}},
	}).Machine()
	task := signals.New(signals.Header{}, signals.Task{Task: "pay"})
	paid := signals.New(signals.Header{}, signals.ToolResult{ToolName: "ledger", TriggeredBy: "teller"})
	for i, step := range []struct {
		s     signals.Any
		want  routing.Action
		tier  routing.Tier
		state routing.State
	}{
		{say("hi"), routing.Continue, routing.TierAgent, "idle"},
		{task, routing.Transition("transaction"), routing.TierStrategy, "transaction"},
		{say("stop that"), routing.Reject, routing.TierStrategy, "transaction"},
		{paid, routing.Transition("idle"), routing.TierStrategy, "idle"},
		{say("thanks"), routing.Continue, routing.TierAgent, "idle"},
	} {
		d := m.Route(step.s)
		if d.Action != step.want || d.Tier != step.tier || d.To != step.state || m.State() != step.state || d.Err != nil {
			t.Errorf("step %d: got %+v in %q, want %v by %v in %q", i, d, m.State(), step.want, step.tier, step.state)
		}
	}
}

func TestTierBoundaryIsAbsolute(t *testing.T) {
	r := newRouter(t, routing.Config{
		Strategy: routing.Strategy{Routes: []routing.Route{{Kind: routing.KindStop, Action: routing.Reject, Priority: math.MinInt}}},
		Agent:    []routing.Route{{Kind: routing.KindStop, Action: routing.ForceStop, Priority: math.MaxInt}},
	})
	if d := r.Decide("", stop()); d.Action != routing.Reject || d.Tier != routing.TierStrategy {
		t.Errorf("got %+v, want the strategy to reject", d)
	}
}

// Differences of priorities overflow; comparisons do not.
func TestPrioritiesMayBeExtreme(t *testing.T) {
	r := newRouter(t, routing.Config{Agent: []routing.Route{
		{Name: "least", Kind: routing.KindStop, Action: routing.Continue, Priority: math.MinInt},
		{Name: "most", Kind: routing.KindStop, Action: routing.ForceStop, Priority: math.MaxInt},
	}})
	if d := r.Decide("", stop()); d.Route != "most" {
		t.Errorf("%q decides, want the highest priority to", d.Route)
	}
}

func TestWithoutAStrategyAndPluginsTheAgentsRoutesAreAFlatList(t *testing.T) {
	r := newRouter(t, routing.Config{Agent: []routing.Route{
		{Name: "low", Kind: routing.KindStop, Action: routing.Continue, Priority: -1},
		{Name: "high", Kind: routing.KindStop, Action: routing.GracefulStop, Priority: 1},
	}})
	m := r.Machine()
	if d := m.Route(stop()); d.Route != "high" || d.Tier != routing.TierAgent || d.Action != routing.GracefulStop || r.Initial() != "" || m.State() != "" {
		t.Errorf("got %+v in state %q", d, m.State())
	}
	if routes := m.Explain(stop()).Routes; len(routes) != 2 || routes[1].Name != "low" {
		t.Errorf("got %+v", routes)
	}
}

// TestOneRouteWins also where the predicate of a later one of the strategy panics.
func TestOneRouteWins(t *testing.T) {
	panics := func(routing.View) bool { panic("oh") }
	e := newRouter(t, routing.Config{Strategy: routing.Strategy{Routes: []routing.Route{
		{Name: "first", Kind: routing.KindStop, Action: routing.Continue, Priority: 1},
		{Name: "second", Kind: routing.KindStop, Action: routing.Reject, When: panics},
	}}}).Explain("", stop())
	if len(e.Routes) != 2 || !e.Routes[0].Won || e.Routes[1].Won || e.Action != routing.Continue || e.Error != "" {
		t.Errorf("got %v", e)
	}
}

func TestTiesGoToTheFirstRegistered(t *testing.T) {
	routes := func(names ...string) (all []routing.Route) {
		for _, name := range names {
			all = append(all, routing.Route{Name: name, Kind: routing.KindStop, Action: routing.Continue, Priority: 5})
		}
		return all
	}
	for want, c := range map[string]routing.Config{
		"a": {Agent: routes("a", "b", "c")},
		"p": {Plugins: []routing.Plugin{{Name: "one", Routes: routes("p", "q")}, {Name: "two", Routes: routes("r")}}},
	} {
		if d := newRouter(t, c).Decide("", stop()); d.Route != want {
			t.Errorf("%q decides, want %q", d.Route, want)
		}
	}
}

func TestEveryActionIsDecided(t *testing.T) {
	for text, a := range map[string]routing.Action{
		"continue": routing.Continue, "graceful-stop": routing.GracefulStop, "force-stop": routing.ForceStop,
		"reject": routing.Reject, "transition:done": routing.Transition("done"), "custom:page": routing.Custom("page"),
	} {
		r := newRouter(t, routing.Config{
			Strategy: routing.Strategy{States: drawnStates},
			Agent:    []routing.Route{{Kind: routing.KindStop, Action: a}},
		})
		if d := r.Decide("idle", stop()); d.Action != a || d.Action.String() != text || d.Route != "stop -> "+text {
			t.Errorf("got %+v, want %s", d, text)
		}
	}
}

func TestPredicateSeesSignalAndState(t *testing.T) {
	var seen []routing.View
	r := newRouter(t, routing.Config{
		Strategy: routing.Strategy{States: drawnStates},
		Agent: []routing.Route{{Kind: routing.KindStop, Action: routing.Continue, When: func(v routing.View) bool {
			seen = append(seen, v)
			return true
		}}},
	})
	s := stop()
	r.Decide("busy", s)
	if len(seen) != 1 || seen[0].Signal != s || seen[0].State != "busy" {
		t.Errorf("got %+v, want the signal in state busy, once", seen)
	}
}

func TestCommandModeAndCatchAll(t *testing.T) {
	r := newRouter(t, routing.Config{
		Strategy: routing.Strategy{States: []routing.State{"talk", "command-mode"}},
		Agent: []routing.Route{
			{Kind: routing.KindUserMessage, Action: routing.Continue},
			{
				Kind: routing.KindUserMessage, Action: routing.Transition("command-mode"), Priority: 10,
				When: routing.When(func(s *signals.Signal[routing.UserMessage]) bool { return strings.HasPrefix(s.Payload.Text, "/") }),
			},
		},
	})
	for text, want := range map[string]routing.Action{"/help": routing.Transition("command-mode"), "help": routing.Continue} {
		if d := r.Decide("talk", say(text)); d.Action != want {
			t.Errorf("%q: got %v, want %v", text, d.Action, want)
		}
	}
}

// When is asked about signals of other payload types too, where a kind has
// several.
func TestWhenSaysNoToOtherPayloads(t *testing.T) {
	p := routing.When(func(*signals.Signal[routing.Stop]) bool { return true })
	if p(routing.View{Signal: say("x")}) || !p(routing.View{Signal: stop()}) {
		t.Error("it is not for stops alone")
	}
}

func boom(routing.View) bool { panic("boom") }

func TestPanicInTheStrategyRejects(t *testing.T) {
	r := newRouter(t, routing.Config{
		Strategy: routing.Strategy{Routes: []routing.Route{
			{Name: "broken", Kind: routing.KindStop, When: boom, Action: routing.Continue, Priority: 1},
			{Name: "below", Kind: routing.KindStop, Action: routing.Continue},
		}},
		Agent: []routing.Route{{Kind: routing.KindStop, Action: routing.ForceStop}},
	})
	d := r.Decide("", stop())
	var why *routing.PredicateError
	if d.Action != routing.Reject || d.Tier != routing.TierStrategy || d.Route != "broken" || !errors.As(d.Err, &why) {
		t.Fatalf("got %+v, want a reject because of the panic", d)
	}
	if why.Value != "boom" || why.Route != "broken" || why.Tier != routing.TierStrategy {
		t.Errorf("got %+v", why)
	}
	if e := r.Explain("", stop()); !e.Routes[0].Won || e.Routes[1].Won || !strings.Contains(e.Error, "boom") {
		t.Errorf("got %v", e)
	}
}

func TestPanicElsewhereCountsAsNo(t *testing.T) {
	r := newRouter(t, routing.Config{
		Agent: []routing.Route{
			{Name: "broken", Kind: routing.KindStop, When: boom, Action: routing.Continue, Priority: 1},
			{Name: "also broken", Kind: routing.KindStop, When: boom, Action: routing.Continue},
		},
		Plugins: []routing.Plugin{{Name: "p", Routes: []routing.Route{{Name: "sound", Kind: routing.KindStop, Action: routing.ForceStop}}}},
	})
	d := r.Decide("", stop())
	if d.Action != routing.ForceStop || d.Route != "sound" || d.Plugin != "p" {
		t.Errorf("got %+v, want the next route to decide", d)
	}
	for _, name := range []string{`"broken"`, `"also broken"`} {
		if d.Err == nil || !strings.Contains(d.Err.Error(), name) {
			t.Errorf("%v does not report %s", d.Err, name)
		}
	}
}

func TestWithoutARouteASignalIsUnrouted(t *testing.T) {
	var zero routing.Router
	for name, r := range map[string]*routing.Router{
		"no routes":      newRouter(t, routing.Config{}),
		"of other kinds": newRouter(t, routing.Config{Agent: []routing.Route{{Kind: routing.KindTimer, Action: routing.Reject}}}),
		"zero value":     &zero,
	} {
		m := r.Machine()
		if d := m.Route(stop()); d != (routing.Decision{}) || m.State() != "" {
			t.Errorf("%s: got %+v, want unrouted", name, d)
		}
		if e := m.Explain(stop()); e.Action != routing.Unrouted || !strings.Contains(e.String(), "unrouted, no route matches") {
			t.Errorf("%s: got %v", name, e)
		}
	}
}

func TestPluginWithoutRoutesIsFine(t *testing.T) {
	newRouter(t, routing.Config{Plugins: []routing.Plugin{{}, {Name: "p"}, {}}})
}

func TestRateLimiterOfAPlugin(t *testing.T) {
	left := 2
	r := newRouter(t, routing.Config{Plugins: []routing.Plugin{{Name: "limiter", Routes: []routing.Route{
		{Kind: routing.KindUserMessage, Action: routing.GracefulStop, When: func(routing.View) bool { return left == 0 }},
	}}}})
	var got []string
	for ; left >= 0; left-- {
		got = append(got, r.Decide("", say("hi")).Action.String())
	}
	if diff := cmp.Diff([]string{"unrouted", "unrouted", "graceful-stop"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRouterKeepsNothingOfItsConfig(t *testing.T) {
	c := routing.Config{
		Strategy: bank(),
		Agent:    []routing.Route{{Kind: routing.KindStop, In: []routing.State{"idle"}, Action: routing.ForceStop}},
	}
	r := newRouter(t, c)
	c.Strategy.States[0], c.Strategy.Edges[0].To, c.Strategy.Routes[0].Action = "x", "x", routing.Reject
	c.Agent[0].In[0], c.Agent[0].Action = "transaction", routing.Reject
	if d := r.Decide("idle", stop()); d.Action != routing.ForceStop {
		t.Errorf("got %+v, want what it was built with", d)
	}
	if d := r.Decide("idle", signals.New(signals.Header{}, signals.Task{Task: "x"})); d.To != "transaction" || r.Initial() != "idle" {
		t.Errorf("got %+v from %q", d, r.Initial())
	}
}

func TestNewReportsEverythingThatIsWrong(t *testing.T) {
	no := func(kind signals.Kind, a routing.Action) []routing.Route {
		return []routing.Route{{Kind: kind, Action: a}}
	}
	stop := routing.KindStop
	for field, c := range map[string]routing.Config{
		"strategy.routes[0].kind":   {Strategy: routing.Strategy{Routes: no("", routing.Reject)}},
		"agent.routes[0].action":    {Agent: no(stop, routing.Unrouted)},
		"plugin p.routes[0].action": {Plugins: []routing.Plugin{{Name: "p", Routes: no(stop, routing.Transition("x"))}}},
		"agent.routes[1].action":    {Agent: append(no(stop, routing.Reject), no(stop, routing.Custom(""))...)},
		"agent.routes[2].action": {Agent: append(append(
			no(stop, routing.Reject), no(stop, routing.Reject)...), no(stop, routing.Action{Verb: routing.VerbReject, Name: "x"})...)},
		"agent.routes[0].in":           {Agent: []routing.Route{{Kind: stop, Action: routing.Reject, In: []routing.State{"x"}}}},
		"plugins[0].name":              {Plugins: []routing.Plugin{{Routes: no(stop, routing.Reject)}}},
		"plugins[1].name":              {Plugins: []routing.Plugin{{Name: "p"}, {Name: "p"}}},
		"strategy.states[0]":           {Strategy: routing.Strategy{States: []routing.State{""}}},
		"strategy.states[1]":           {Strategy: routing.Strategy{States: []routing.State{"a", "a"}}},
		"strategy.initial":             {Strategy: routing.Strategy{States: []routing.State{"a"}, Initial: "b"}},
		"strategy.edges[0].from":       {Strategy: routing.Strategy{States: []routing.State{"a"}, Edges: []routing.Edge{{From: "b", To: "a"}}}},
		"strategy.edges[0].to":         {Strategy: routing.Strategy{Edges: []routing.Edge{{From: "a"}}}},
		"strategy.routes[0].action":    {Strategy: routing.Strategy{Routes: no(stop, routing.Transition("")), States: []routing.State{"a"}}},
		"agent.routes[0].in and empty": {Agent: []routing.Route{{Kind: stop, Action: routing.Reject, In: []routing.State{""}}}},
	} {
		r, err := routing.New(c)
		var why *signals.FieldError
		if !errors.As(err, &why) || r != nil {
			t.Errorf("%s: got %v, want a field error", field, err)
			continue
		}
		name, _, _ := strings.Cut(field, " and")
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not in %q", name, err)
		}
	}
	_, err := routing.New(routing.Config{Agent: append(no("", routing.Reject), no(stop, routing.Unrouted)...)})
	if n := strings.Count(err.Error(), "agent.routes"); n != 2 {
		t.Errorf("%d problems are reported, of 2: %v", n, err)
	}
}

func TestCustomsAreNamedOnce(t *testing.T) {
	r := newRouter(t, routing.Config{
		Agent: []routing.Route{
			{Kind: routing.KindStop, Action: routing.Custom("b")},
			{Kind: routing.KindTimer, Action: routing.Custom("b")},
			{Kind: routing.KindTimer, Action: routing.Reject},
		},
		Plugins: []routing.Plugin{{Name: "p", Routes: []routing.Route{{Kind: routing.KindStop, Action: routing.Custom("a")}}}},
	})
	if diff := cmp.Diff([]string{"a", "b"}, r.Customs()); diff != "" {
		t.Error(diff)
	}
}

func TestSignalKindsOfTheSpecification(t *testing.T) {
	custom := signals.New(signals.Header{}, signals.Raw{Type: "acme.example/tick", JSON: `{"n":1}`})
	result := signals.New(signals.Header{}, signals.ToolResult{ToolName: "ls", TriggeredBy: "a"})
	for _, s := range []signals.Any{say("hi"), result, stop(), timer("tick"), custom} {
		if err := signals.Validate(s); err != nil {
			t.Errorf("%s: %v", s.Kind(), err)
		}
		r := newRouter(t, routing.Config{Agent: []routing.Route{{Kind: s.Kind(), Action: routing.Reject}}})
		if d := r.Decide("", s); d.Action != routing.Reject {
			t.Errorf("%s: got %+v", s.Kind(), d)
		}
	}
	for _, s := range []signals.Any{say(""), timer("")} {
		if signals.Validate(s) == nil {
			t.Errorf("%s: an empty one is valid", s.Kind())
		}
	}
}

func TestKindsTravelAsJSON(t *testing.T) {
	codec, err := signals.NewCodec(routing.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []signals.Any{say("hi"), stop(), timer("tick")} {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		back, err := codec.Unmarshal(text)
		if err != nil || back.Body() != s.Body() {
			t.Errorf("%s: got %v %v", text, back, err)
		}
	}
}

func TestExplanationIsText(t *testing.T) {
	m := newRouter(t, routing.Config{
		Strategy: bank(),
		Agent: []routing.Route{
			{Name: "listen", Kind: routing.KindUserMessage, Action: routing.Continue},
			{Name: "shout", Kind: routing.KindUserMessage, When: func(routing.View) bool { return false }, Action: routing.Reject, Priority: 7},
			{Name: "late", Kind: routing.KindUserMessage, Action: routing.Continue},
			{Name: "quiet", Kind: routing.KindUserMessage, Action: routing.Continue, Priority: -1},
		},
		Plugins: []routing.Plugin{{Name: "eager", Routes: []routing.Route{
			{Name: "jump in", Kind: routing.KindUserMessage, Action: routing.ForceStop, Priority: 1_000_000},
			{Name: "fragile", Kind: routing.KindUserMessage, When: boom, Action: routing.ForceStop},
		}}},
	}).Machine()
	want := strings.TrimPrefix(`
user:message in state "idle": continue, by agent route "listen"
  lost  strategy      do not disturb  0        reject      is not for state "idle"
  lost  agent         shout           7        reject      its predicate is false
  won   agent         listen          0        continue    the first match
  lost  agent         late            0        continue    was registered later
  lost  agent         quiet           -1       continue    priority -1 is below 0
  lost  plugin eager  jump in         1000000  force-stop  the agent tier outranks the plugin tier, whatever the priority
  lost  plugin eager  fragile         0        force-stop  routing: the predicate of plugin route "fragile" panicked: boom
  and 2 for other kinds
`, "\n")
	if diff := cmp.Diff(want, m.Explain(say("hi")).String()); diff != "" {
		t.Error(diff)
	}
	begin := m.Explain(signals.New(signals.Header{}, signals.Task{Task: "x"}))
	if begin.To != "transaction" || m.State() != "idle" {
		t.Errorf("got %q, and in state %q; want explaining to change nothing", begin.To, m.State())
	}
}

func TestExplanationIsJSON(t *testing.T) {
	r := newRouter(t, routing.Config{Agent: []routing.Route{{Kind: routing.KindStop, Action: routing.Custom("page")}}})
	text, err := json.Marshal(r.Explain("", stop()))
	const want = `{"signal":"stop","action":"custom:page","routes":[{"tier":"agent","name":"stop -\u003e custom:page",` +
		`"kind":"stop","priority":0,"action":"custom:page","matches":true,"won":true,"why":"the first match"}]}`
	if diff := cmp.Diff(want, string(text)); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
