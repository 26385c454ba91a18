package swarm_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
)

// An actor says what a scenario has it say: in a round, when it hears a challenge or a
// vote with a word, when something with a word is in its inbox, when a timer fires, or, if
// it is a debater, as its next argument. One that owns something pays for its turns.
type actor struct {
	id    string
	lines []string // "ROUND TEXT", "asked WHAT: TEXT", "against ID: TEXT", "told WORD: TEXT", "hears WORD: TEXT", "mail WORD: TEXT", "argues TEXT", "after TIME TEXT", "owns NUMBER"
}

// Reserve implements [agents.Payer]: who owns a number can pay for as
// many turns, less one for each challenge that it remembers.
func (a *actor) Reserve(_ context.Context, t *agents.Turn, turns int) (release func(), ok bool) {
	for _, l := range a.lines {
		if owns, limited := strings.CutPrefix(l, "owns "); limited {
			n, err := strconv.Atoi(owns)
			for _, s := range t.Said {
				if s.Kind() == signals.KindChallenge {
					n--
				}
			}
			return func() {}, err == nil && turns <= n && t.Debate != nil
		}
	}
	return func() {}, true
}

func (a *actor) agent(t *testing.T) *agents.Agent {
	agent := &agents.Agent{ID: a.id, Reactor: acting{a}}
	for _, l := range a.lines {
		if strings.HasPrefix(l, "argues ") {
			agent.Reactor = debating{a}
		}
		if when, ok := strings.CutPrefix(l, "after "); ok {
			timed(t, agent, when)
		}
	}
	return agent
}

// timed has an agent say the text of "TIME TEXT" at that time.
func timed(t *testing.T, a *agents.Agent, line string) {
	t.Helper()
	when, text, _ := strings.Cut(line, " ")
	after, err := time.ParseDuration(when)
	if err != nil {
		t.Fatal(err)
	}
	a.Router = router(t, routing.Config{
		Agent:  []routing.Route{{Kind: routing.KindTimer, Action: routing.Custom("say")}},
		Timers: []routing.Schedule{{Name: "patience", After: after}},
	})
	a.Actions = map[string]agents.Each{"say": func(ctx context.Context, _ signals.Any) seq {
		return agents.Emit(signalOf(ctx, agents.TurnOf(ctx), text))
	}}
}

// acting is an actor that has no arguments of its own.
type acting struct{ *actor }

func (a acting) React(ctx context.Context, t *agents.Turn) seq { return a.react(ctx, t) }

func (a *actor) react(ctx context.Context, t *agents.Turn) seq {
	var said []signals.Any
	say := func(text string) {
		now := *t
		now.Said = slices.Concat(t.Said, said)
		s := signalOf(ctx, &now, text)
		if h := s.Head(); slices.ContainsFunc(a.lines, func(l string) bool { return strings.Contains(l, ": retract ") }) {
			h.ID = t.NewID() // by which it can take it back in the same turn
			s = signals.With(s, h)
		}
		said = append(said, s)
	}
	for _, l := range a.lines {
		when, text, _ := strings.Cut(l, " ")
		word, then, _ := strings.Cut(text, ": ")
		switch {
		case when == strconv.Itoa(t.Round):
			say(text)
		case when == "against" && word == t.Against:
			say(then)
		case when == "asked" && word == t.Ask.String(), when == "told" && stated(t, word), when == "hears" && hears(t, word), when == "mail" && mailed(t, word) != nil:
			say(then)
		}
	}
	return agents.Emit(said...)
}

func hears(t *agents.Turn, word string) bool {
	return slices.ContainsFunc(t.New, func(s signals.Any) bool {
		switch p := s.Body().(type) {
		case signals.Challenge:
			return strings.Contains(p.CounterArgument, word)
		case signals.Vote:
			return strings.Contains(p.Reasoning, word)
		}
		return false
	})
}

// stated reports whether something that others have stated in the turn has a word.
func stated(t *agents.Turn, word string) bool {
	return slices.ContainsFunc(t.New, func(s signals.Any) bool {
		d, ok := signals.As[signals.Discovery](s)
		return ok && strings.Contains(d.Payload.Finding, word)
	})
}

// debating is an actor that argues with what the scenario has for it.
type debating struct{ *actor }

func (d debating) React(ctx context.Context, t *agents.Turn) seq { return d.react(ctx, t) }

func (d debating) Argue(_ context.Context, t *agents.Turn) seq {
	for _, l := range d.lines {
		text, ok := strings.CutPrefix(l, "argues ")
		if ok && !slices.ContainsFunc(t.Said, func(s signals.Any) bool { return argues(s, text) }) {
			return agents.Emit(signals.New(signals.Header{Confidence: 0.9}, signals.Challenge{
				TargetSignalID: t.Debate.Against.Proposal.ID, CounterArgument: text,
			}))
		}
	}
	return agents.Emit(agents.Pass("no more"))
}

func argues(s signals.Any, text string) bool {
	c, ok := signals.As[signals.Challenge](s)
	return ok && c.Payload.CounterArgument == text
}

// signalOf returns the signal of a line: "state FACT", "on WORD LINE" and "retract WORD REASON" (see
// grounded), "measure RESULT" by a tool, "pass WHY", "propose ID CONTENT because REASON", "agree ID
// WEIGHT REASON", "disagree ID WEIGHT REASON", "instead ID CONTENT because REASON",
// "ask QUESTION", "forge ID", which is not its to say, or "panic". The id of a proposal may
// be its content.
func signalOf(ctx context.Context, t *agents.Turn, line string) signals.Any {
	verb, rest, _ := strings.Cut(line, " ")
	id, rest, _ := strings.Cut(rest, " ")
	if s := grounded(ctx, t, verb, id, rest); s != nil {
		return s
	}
	var target signals.ID
	for _, p := range t.Proposals {
		if p.ID() == id || p.Proposal.Payload.Content == id {
			id, target = p.ID(), p.Proposal.ID
		}
	}
	if s := coordinated(t, verb, id, rest); s != nil {
		return s
	}
	content, why, _ := strings.Cut(rest, " because ")
	switch verb {
	case "forge":
		return signals.New(signals.Header{Confidence: 1}, signals.Consensus{ProposalID: id, Decision: "mine"})
	case "panic":
		panic("at a bad moment")
	case "ask":
		return signals.New(signals.Header{Confidence: 1}, signals.Escalation{Reason: id + " " + rest})
	case "state":
		return signals.New(signals.Header{Confidence: 0.8}, signals.Discovery{Finding: id + " " + rest, Relevance: 1})
	case "measure":
		return agents.Returned(ctx, signals.ToolResult{ToolName: "measure", Result: id + " " + rest, TriggeredBy: t.Agent})
	case "pass":
		return agents.Pass(id)
	case "propose":
		return agents.Propose(id, content, 0.8, why)
	case "instead":
		return signals.New(signals.Header{Confidence: 0.8}, signals.Challenge{
			TargetSignalID: target, CounterArgument: why, AlternativeProposal: content,
		})
	}
	weight, why, _ := strings.Cut(rest, " ")
	sure, err := strconv.ParseFloat(weight, 64)
	if err != nil {
		panic(line)
	}
	if verb == "disagree" {
		return agents.Disagree(id, sure, why)
	}
	return agents.Agree(id, sure, why)
}
