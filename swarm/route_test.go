package swarm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func router(t testing.TB, c routing.Config) *routing.Router {
	t.Helper()
	r, err := routing.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// routes is a router of the agent's own routes.
func routes(t testing.TB, all ...routing.Route) *routing.Router {
	return router(t, routing.Config{Agent: all})
}

func stopSignal() signals.Any {
	return signals.New(signals.Header{Confidence: 1}, routing.Stop{Reason: "enough"})
}

func userMessage(text string) signals.Any {
	return signals.New(signals.Header{Confidence: 1}, routing.UserMessage{Text: text})
}

// tellLater says something to a solve from outside, a second after the solve
// began.
func tellLater(t *testing.T, s *swarm.Swarm, said signals.Any) func(solves.Event) {
	return func(e solves.Event) {
		began, ok := e.(solves.Started)
		if !ok {
			return
		}
		time.AfterFunc(time.Second, func() {
			user, err := s.Bus().Agent("user", bus.Permissions{Threads: []string{began.Thread}})
			if err == nil {
				h := said.Head()
				h.Thread = began.Thread
				_, err = user.Publish(t.Context(), signals.With(said, h))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// watch runs a solve and shows every event.
func watch(t *testing.T, s *swarm.Swarm, see func(solves.Event)) (r *solves.Result) {
	t.Helper()
	for e, err := range s.Stream(t.Context(), signals.Task{Task: "which one?"}) {
		if err != nil {
			t.Fatal(err)
		}
		see(e)
		if stopped, ok := e.(solves.Stopped); ok {
			r = stopped.Result
		}
	}
	checkResult(t, r)
	return r
}

func TestForceStopEndsARunningTurnAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		var ran time.Duration
		worker := &agents.Agent{
			ID: "worker", Listens: []signals.Kind{signals.KindTask},
			Router: routes(t, routing.Route{Kind: routing.KindStop, Action: routing.ForceStop}),
			Reactor: agents.Func(func(ctx context.Context, _ *agents.Turn) seq {
				begin := time.Now()
				<-ctx.Done()
				cause, ran = context.Cause(ctx), time.Since(begin)
				return agents.Emit(vote("a", yes, 1))
			}),
		}
		s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{worker, proposer("p", "a", "do a")}})
		begin := time.Now()
		r := watch(t, s, tellLater(t, s, stopSignal()))
		synctest.Wait()
		if !errors.Is(cause, swarm.ErrStopped) || ran != time.Second {
			t.Errorf("the turn ended after %v because of %v, want %v after 1s", ran, cause, swarm.ErrStopped)
		}
		if took := time.Since(begin); took != time.Second {
			t.Errorf("the solve took %v, want it to go on at once", took)
		}
		if r.Turns.Dropped != 1 || r.Turns.Late != 0 || !strings.Contains(r.Detail, "stopped: worker") {
			t.Errorf("got %+v: %s", r.Turns, r.Detail)
		}
		for _, said := range r.Log {
			if said.Head().Source == "worker" {
				t.Errorf("what was stopped is in the log: %+v", said)
			}
		}
	})
}

func TestGracefulStopLetsTheTurnFinishAndBeginsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := 0
		worker := &agents.Agent{
			ID: "worker", Router: routes(t, routing.Route{Kind: routing.KindStop, Action: routing.GracefulStop}),
			Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
				turns++
				time.Sleep(2 * time.Second)
				return agents.Emit(propose(fmt.Sprint("a", turn.Round), fmt.Sprint("do a ", turn.Round)))
			}),
		}
		s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{worker, proposer("p", "b", "do b")}})
		r := watch(t, s, tellLater(t, s, stopSignal()))
		if turns != 1 || r.Turns.Dropped != 0 || len(r.Proposals) != 2 {
			t.Errorf("%d turns, %+v, proposals %v; want one turn, and what it proposed", turns, r.Turns, r.Proposals)
		}
	})
}

// A turn is dropped if the signal that stops it is committed first, even if the turn has
// returned by then. So the order of the agents decides, and not their speed.
func TestAForceStopDropsTheSameAtAnyTime(t *testing.T) {
	for _, wait := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			victim := &agents.Agent{
				ID: "victim", Listens: []signals.Kind{signals.KindTask},
				Router: routes(t, routing.Route{Kind: routing.KindStop, Action: routing.ForceStop}),
				Reactor: agents.Func(func(context.Context, *agents.Turn) seq {
					time.Sleep(wait)
					return agents.Emit(propose("a", "do a"))
				}),
			}
			stopper := &agents.Agent{
				ID: "stopper", Listens: []signals.Kind{signals.KindTask},
				Reactor: agents.Func(func(context.Context, *agents.Turn) seq {
					time.Sleep(time.Second - wait)
					return agents.Emit(stopSignal())
				}),
			}
			for proposals, team := range [][]*agents.Agent{{stopper, victim}, {victim, stopper}} {
				r := solve(t, newSwarm(t, swarm.Options{Agents: team}))
				if len(r.Proposals) != proposals || r.Turns.Dropped != 1-proposals {
					t.Errorf("victim after %v in order %d: %d proposals, %+v", wait, proposals, len(r.Proposals), r.Turns)
				}
			}
		})
	}
}

// heardBy returns the kinds that an agent got as new, and its memory at the end.
type ear struct {
	fresh, heard []signals.Kind
	states       []routing.State
}

func (e *ear) reactor() agents.Reactor {
	return agents.Func(func(_ context.Context, turn *agents.Turn) seq {
		e.heard = nil
		for _, s := range turn.Heard {
			e.heard = append(e.heard, s.Kind())
		}
		for _, s := range turn.New {
			e.fresh = append(e.fresh, s.Kind())
		}
		e.states = append(e.states, turn.State)
		return agents.Emit()
	})
}

// chat says something to the others in each of its turns, one signal a round.
func chat(id string, all ...signals.Any) *agents.Agent {
	return reacts(id, func(_ context.Context, turn *agents.Turn) seq {
		if turn.Round > len(all) {
			return agents.Emit()
		}
		return agents.Emit(all[turn.Round-1])
	})
}

// echo keeps a solve going for so many rounds.
func echo(id string, rounds int) *agents.Agent {
	return reacts(id, func(_ context.Context, turn *agents.Turn) seq {
		if turn.Round > rounds {
			return agents.Emit()
		}
		return agents.Emit(signals.New(signals.Header{}, signals.Discovery{Finding: fmt.Sprint("finding ", turn.Round)}))
	})
}

func TestRejectedSignalsDoNotReachTheAgent(t *testing.T) {
	var e ear
	deaf := &agents.Agent{
		ID: "deaf", Reactor: e.reactor(),
		Router: routes(t,
			routing.Route{Name: "no chat", Kind: routing.KindUserMessage, Action: routing.Reject},
			routing.Route{Kind: routing.KindStop, Action: routing.Continue},
		),
	}
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{chat("c", userMessage("hi"), stopSignal()), echo("e", 3), deaf}})
	var routed []string
	watch(t, s, func(e solves.Event) {
		if e, ok := e.(solves.Routed); ok {
			routed = append(routed, fmt.Sprint(e.Agent, " ", e.Signal.Kind(), " ", e.Decision.Action, " ", e.Decision.Route))
		}
	})
	if slices.Contains(e.fresh, routing.KindUserMessage) || slices.Contains(e.heard, routing.KindUserMessage) {
		t.Errorf("it got %v and remembers %v", e.fresh, e.heard)
	}
	if !slices.Contains(e.fresh, routing.KindStop) || !slices.Contains(e.heard, signals.KindDiscovery) {
		t.Errorf("it got %v and remembers %v, want what is not rejected", e.fresh, e.heard)
	}
	if diff := cmp.Diff([]string{"deaf user:message reject no chat"}, routed); diff != "" {
		t.Error(diff)
	}
}

// afterRound calls f at the end of the first round, when no turn is awaited.
type afterRound struct {
	f func(thread string)
}

func (h *afterRound) Start(ctx context.Context, op hooks.Op) (context.Context, hooks.End) {
	return ctx, func(any, error) {
		if op.Name == hooks.OpRound && op.Round == 1 {
			h.f(op.Thread)
		}
	}
}

func (*afterRound) Note(context.Context, any)            {}
func (*afterRound) Trace(context.Context) *signals.Trace { return nil }

// A signal from outside the swarm is routed before the agent gets it, also if no agent
// says anything meanwhile.
func TestSignalsFromOutsideAreRoutedFirst(t *testing.T) {
	var e ear
	var s *swarm.Swarm
	meddle := func(thread string) {
		user, err := s.Bus().Agent("user", bus.Permissions{})
		if err == nil {
			_, err = user.Publish(t.Context(), signals.New(signals.Header{Thread: thread}, routing.UserMessage{Text: "hi"}))
		}
		if err != nil {
			t.Error(err)
		}
	}
	shy := &agents.Agent{ID: "shy", Reactor: e.reactor(), Router: routes(t, routing.Route{Kind: routing.KindUserMessage, Action: routing.Reject})}
	s = newSwarm(t, swarm.Options{Agents: []*agents.Agent{shy}, Hook: &afterRound{meddle}})
	r := solve(t, s)
	if slices.Contains(e.fresh, routing.KindUserMessage) || len(r.Log) < 2 {
		t.Errorf("it got %v of %d signals", e.fresh, len(r.Log))
	}
}

// A turn that is late is stopped at once too.
func TestForceStopEndsALateTurnAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		worker := hangs("worker")
		worker.Router = routes(t, routing.Route{Kind: routing.KindStop, Action: routing.ForceStop})
		s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{worker}, Limits: swarm.Limits{Deadline: 2 * time.Second}})
		begin := time.Now()
		if r := watch(t, s, tellLater(t, s, stopSignal())); r.Turns.Late != 1 || r.Turns.Dropped != 1 || time.Since(begin) != time.Second {
			t.Errorf("after %v: %+v", time.Since(begin), r.Turns)
		}
	})
}

// A solve that goes on does not hear, do or begin again what was decided before.
func TestRoutedSignalsStayRoutedWhenASolveGoesOn(t *testing.T) {
	var shy, quit, page ear
	acted := 0
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{
		chat("c", userMessage("hi"), stopSignal()), echo("e", 3),
		{ID: "shy", Reactor: shy.reactor(), Router: routes(t, routing.Route{Kind: routing.KindUserMessage, Action: routing.Reject})},
		{ID: "quit", Reactor: quit.reactor(), Router: routes(t, routing.Route{Kind: routing.KindStop, Action: routing.GracefulStop})},
		{
			ID: "page", Reactor: page.reactor(), Router: routes(t, routing.Route{Kind: routing.KindUserMessage, Action: routing.Custom("page")}),
			Actions: map[string]agents.Each{"page": func(context.Context, signals.Any) seq { acted++; return agents.Emit() }},
		},
	}})
	r := solve(t, s)
	quit.fresh = nil
	if _, err := s.Resume(t.Context(), r.Log, signals.New(signals.Header{}, signals.Memory{Content: "go on", Category: "x"})); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(shy.heard, routing.KindUserMessage) || !slices.Contains(shy.heard, routing.KindStop) {
		t.Errorf("shy remembers %v", shy.heard)
	}
	if acted != 1 || !slices.Contains(page.heard, routing.KindUserMessage) {
		t.Errorf("page acted %d times and remembers %v", acted, page.heard)
	}
	if quit.fresh != nil {
		t.Errorf("quit got %v after it stopped", quit.fresh)
	}
}

func TestTransitionChangesTheStateOfTheNextTurns(t *testing.T) {
	var e ear
	teller := &agents.Agent{ID: "teller", Reactor: e.reactor(), Router: router(t, routing.Config{Strategy: routing.Strategy{
		States: []routing.State{"idle", "busy"},
		Edges:  []routing.Edge{{From: "idle", To: "busy"}},
		Routes: []routing.Route{
			{Kind: routing.KindUserMessage, Action: routing.Transition("busy")},
			{Kind: routing.KindStop, Action: routing.Transition("idle")},
		},
	}})}
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{chat("c", userMessage("hi"), stopSignal()), echo("e", 3), teller}})
	r := solve(t, s)
	if diff := cmp.Diff([]routing.State{"idle", "busy", "busy", "busy"}, e.states); diff != "" {
		t.Error(diff)
	}
	if !slices.Contains(e.fresh, routing.KindUserMessage) {
		t.Errorf("it got %v, want the message that changed its state", e.fresh)
	}
	if slices.Contains(e.fresh, routing.KindStop) {
		t.Errorf("it got %v, want the refused transition to reject", e.fresh)
	}
	// The state is a fold of the log: a solve that goes on has it.
	e.states = nil
	if _, err := s.Resume(t.Context(), r.Log, userMessage("go on")); err != nil {
		t.Fatal(err)
	}
	if len(e.states) == 0 || e.states[0] != "busy" {
		t.Errorf("after the resume it is in %v", e.states)
	}
}

func TestCustomActionReactsInPlaceOfTheReactor(t *testing.T) {
	var e ear
	var acted []string
	var said signals.ID
	pager := &agents.Agent{
		ID: "pager", Listens: []signals.Kind{signals.KindDiscovery, routing.KindUserMessage}, Reactor: e.reactor(),
		Router: routes(t,
			routing.Route{Kind: routing.KindUserMessage, Action: routing.Custom("page")},
			routing.Route{Kind: routing.KindTimer, Action: routing.Custom("page")}, // although it does not listen to it
		),
		Actions: map[string]agents.Each{"page": func(ctx context.Context, s signals.Any) seq {
			acted = append(acted, fmt.Sprint(s.Kind(), " in round ", agents.TurnOf(ctx).Round))
			said = s.Head().ID
			return agents.Emit(signals.New(signals.Header{}, signals.Discovery{Finding: "paged"}))
		}},
	}
	tick := signals.New(signals.Header{}, routing.Timer{Name: "tick"})
	s := newSwarm(t, swarm.Options{Agents: []*agents.Agent{chat("c", userMessage("hi"), tick), echo("e", 4), pager}})
	r := solve(t, s)
	if diff := cmp.Diff([]string{"user:message in round 2", "timer in round 3"}, acted); diff != "" {
		t.Error(diff)
	}
	if slices.Contains(e.fresh, routing.KindUserMessage) || !slices.Contains(e.heard, routing.KindTimer) {
		t.Errorf("the reactor got %v and remembers %v", e.fresh, e.heard)
	}
	replied := slices.ContainsFunc(r.Log, func(s signals.Any) bool { return s.Head().Source == "pager" && s.Head().ReplyTo == said })
	if !replied {
		t.Error("what the action said does not reply to the signal")
	}
}

// An agent's own tool results change its state; nothing else of its own is
// routed.
func TestOwnToolResultsAreRouted(t *testing.T) {
	var states []routing.State
	teller := &agents.Agent{
		ID: "teller",
		Router: router(t, routing.Config{Strategy: routing.Strategy{
			States: []routing.State{"open", "paid"},
			Routes: []routing.Route{
				{Kind: signals.KindToolResult, Action: routing.Transition("paid")},
				{Kind: signals.KindDiscovery, Action: routing.ForceStop, When: func(v routing.View) bool { return v.Signal.Head().Source == "teller" }},
			},
		}}),
		Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) seq {
			states = append(states, turn.State)
			return agents.Emit(
				signals.New(signals.Header{}, signals.ToolResult{ToolName: "ledger", TriggeredBy: "teller"}),
				signals.New(signals.Header{}, signals.Discovery{Finding: fmt.Sprint("paid ", turn.Round)}),
			)
		}),
	}
	solve(t, newSwarm(t, swarm.Options{Limits: swarm.Limits{Rounds: 3}, Agents: []*agents.Agent{teller, echo("e", 3)}}))
	if diff := cmp.Diff([]routing.State{"open", "paid", "paid"}, states); diff != "" {
		t.Error(diff)
	}
}

func TestSignalsToOthersAreNotRouted(t *testing.T) {
	var e ear
	other := stopSignal()
	h := other.Head()
	h.Recipients = signals.To("e")
	a := &agents.Agent{ID: "a", Reactor: e.reactor(), Router: routes(t, routing.Route{Kind: routing.KindStop, Action: routing.ForceStop})}
	r := solve(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{chat("c", signals.With(other, h)), echo("e", 3), a}}))
	if strings.Contains(r.Detail, "stopped") || len(e.states) != 3 {
		t.Errorf("%d turns: %s", len(e.states), r.Detail)
	}
}

// Voters that were stopped are not waited for by the quorum.
func TestStoppedAgentsAreNotAskedToVote(t *testing.T) {
	quits := func(id string) *agents.Agent {
		a := voter(id, nil)
		a.Router = routes(t, routing.Route{Kind: signals.KindTask, Action: routing.GracefulStop})
		return a
	}
	team := func(others ...*agents.Agent) []*agents.Agent {
		return append(others, proposer("p", "a", "do a"), voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"a": yes}))
	}
	if r := solve(t, newSwarm(t, swarm.Options{Agents: team(quits("x"), quits("y"), quits("z"))})); r.Stop != runlog.StopConsensus {
		t.Errorf("got %v: %s", r.Stop, r.Detail)
	}
	if r := solve(t, newSwarm(t, swarm.Options{Agents: team(voter("x", nil), voter("y", nil), voter("z", nil))})); r.Stop == runlog.StopConsensus {
		t.Error("two of five who are asked decided")
	}
}

func TestActionsOfTheRouterMustBeThere(t *testing.T) {
	a := &agents.Agent{
		ID: "a", Reactor: new(ear).reactor(), Router: routes(t, routing.Route{Kind: routing.KindStop, Action: routing.Custom("page")}),
	}
	_, err := swarm.New(swarm.Options{Agents: []*agents.Agent{a}})
	var why *signals.FieldError
	if !errors.As(err, &why) || why.Field != "agent.actions" || why.Value != "page" {
		t.Errorf("got %v", err)
	}
}

// The panic of a predicate is reported, and the agent gets the signal.
func TestPanicsOfRoutersAreReported(t *testing.T) {
	var e ear
	a := &agents.Agent{ID: "a", Reactor: e.reactor(), Router: routes(t, routing.Route{
		Kind: routing.KindStop, Action: routing.Reject, When: func(routing.View) bool { panic("boom") },
	})}
	told := ""
	watch(t, newSwarm(t, swarm.Options{Agents: []*agents.Agent{chat("c", stopSignal()), a}}), func(e solves.Event) {
		if e, ok := e.(solves.Routed); ok {
			told = e.Decision.Err.Error()
		}
	})
	if !strings.Contains(told, "boom") || !slices.Contains(e.fresh, routing.KindStop) {
		t.Errorf("told %q, and it got %v", told, e.fresh)
	}
}
