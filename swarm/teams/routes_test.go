package teams_test

import (
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

const bank = `
models: {m: {provider: ollama, name: qwen3}}
agents:
  - id: teller
    strategy:
      states: [idle, transaction]
      edges:
        - {from: idle, to: transaction, when: {task: "transfer**"}}
        - {from: transaction, to: idle}
      routes:
        - {name: begin, kind: "task:new", action: "transition:transaction"}
        - {name: do not disturb, kind: "user:message", in: [transaction], action: reject, priority: -5}
        - {name: done, kind: timer, action: "transition:idle"}
      timers: [{name: patience, after: 30s, every: 10s, in: [transaction]}]
    routes:
      - {name: stop, kind: "user:message", when: {text: "stop**", source: ann}, action: force-stop, priority: 1000}
      - {name: weak, kind: vote, when: {weight: "< 0.3", stance: agree}, action: reject}
  - {id: door, join: DOOR_TOKEN, routes: [{kind: stop, action: graceful-stop}]}
  - {id: auditor}
`

func TestRoutesOfAFileDecideAsThoseOfAProgram(t *testing.T) {
	t.Parallel()
	team, err := teams.Parse("bank.yaml", []byte(bank))
	if err != nil {
		t.Fatal(err)
	}
	options, err := team.Build(teams.Parts{
		Models: func(string) models.Model { return models.Script() },
		Joined: func() agents.Reactor { return agents.Func(nil) },
	})
	if err != nil {
		t.Fatal(err)
	}
	teller, door, auditor := options.Agents[0].Router, options.Agents[1].Router, options.Agents[2].Router
	if auditor != nil {
		t.Error("an agent without routes has a router")
	}
	for _, c := range []struct {
		router *routing.Router
		state  routing.State
		signal signals.Any
		action routing.Action
		route  string
	}{
		{teller, "idle", signals.New(signals.Header{Source: "system", Confidence: 1}, signals.Task{Task: "transfer 5"}), routing.Transition("transaction"), "begin"},
		{teller, "idle", signals.New(signals.Header{Source: "system", Confidence: 1}, signals.Task{Task: "say hello"}), routing.Reject, "begin"}, // no edge allows it
		{teller, "idle", signals.New(signals.Header{Source: "ann", Confidence: 1}, routing.UserMessage{Text: "stop / at once\nplease"}), routing.ForceStop, "stop"},
		{teller, "idle", signals.New(signals.Header{Source: "bob", Confidence: 1}, routing.UserMessage{Text: "stop"}), routing.Unrouted, ""},
		{teller, "idle", signals.New(signals.Header{Source: "ann", Confidence: 1}, routing.UserMessage{Text: "please stop"}), routing.Unrouted, ""},
		{teller, "transaction", signals.New(signals.Header{Source: "ann", Confidence: 1}, routing.UserMessage{Text: "stop"}), routing.Reject, "do not disturb"},
		{teller, "transaction", signals.New(signals.Header{Source: "system", Confidence: 1}, routing.Timer{Name: "patience"}), routing.Transition("idle"), "done"},
		{teller, "idle", signals.New(signals.Header{Source: "auditor", Confidence: 1}, signals.Vote{ProposalID: "p", Stance: signals.Agree, Weight: 0.2}), routing.Reject, "weak"},
		{teller, "idle", signals.New(signals.Header{Source: "auditor", Confidence: 1}, signals.Vote{ProposalID: "p", Stance: signals.Agree, Weight: 0.3}), routing.Unrouted, ""},
		{teller, "idle", signals.New(signals.Header{Source: "auditor", Confidence: 1}, signals.Vote{ProposalID: "p", Stance: signals.Disagree, Weight: 0.2}), routing.Unrouted, ""},
		{door, "", signals.New(signals.Header{Source: "ann", Confidence: 1}, routing.Stop{}), routing.GracefulStop, ""},
	} {
		if d := c.router.Decide(c.state, c.signal); d.Action != c.action || c.route != "" && d.Route != c.route {
			t.Errorf("%s of %s in %q: %v by %q, want %v by %q", c.signal.Kind(), c.signal.Head().Source, c.state, d.Action, d.Route, c.action, c.route)
		}
	}
}

func TestWrongRoutesOfAFileAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"action: reject,", "action: rejct,", `strategy.routes[1].action: signals: action = "rejct"`},
		{"in: [transaction], action", "in: [trans], action", `agents[0].strategy.routes[1].in: "trans": not a declared state`},
		{"{from: transaction, to: idle}", "{from: transaction, to: idel}", `agents[0].strategy.edges[1].to: "idel": not a declared state`},
		{"kind: vote", "kind: votte", `agents[0].routes[1]: kind: "votte" is not known; did you mean "vote"?`},
		{`"< 0.3"`, `"<< 3"`, `agents[0].routes[1]: when: signals: rule.when.is = "<< 3"`},
		{"action: graceful-stop", "action: custom:knock", "agents[1].routes[0]: action: an action with a name of its own is a function of a program"},
		{"action: graceful-stop", "action: graceful-stop:now", `agents[1].routes[0].action: "graceful-stop:now": takes no name`},
		{"after: 30s", "after: 0s", "agents[0].strategy.timers[0].after"},
		{"kind: stop, ", "", "agents[1].routes[0].kind"},
		{"priority: 1000", "priorty: 1000", "priorty"},
		{"weight: \"< 0.3\"", "weight: [1]", "agents[0].routes[1]"},
	} {
		_, err := teams.Parse("bank.yaml", []byte(strings.Replace(bank, c[0], c[1], 1)))
		if err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v, want %s", c[1], err, c[2])
		}
	}
}
