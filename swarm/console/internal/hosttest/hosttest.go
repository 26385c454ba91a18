// Package hosttest serves a team that asks a person, for tests of what passes answers on.
package hosttest

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/desk"
)

// Team is the name of the team.
const Team = "ops"

// Twice is the task in which two agents of a team without calls escalate in one round.
const Twice = "Ask twice."

// A Server has a host with the team. Make one with [Start].
type Server struct {
	*host.Host
	Backend *api.Backend
	Hub     *feed.Hub

	dir   string
	calls []Call

	mu  sync.Mutex // protects the field below
	ran []string
}

// A Call is one that the agent of the team makes in each solve. TASK in the arguments stands for
// the text of the solve's task.
type Call struct{ Tool, Args string }

// Start serves a team of one agent, which makes calls that a person is asked about, all in one turn,
// and then decides; without calls it proposes "keep" and "delete", and escalates first, and another
// agent escalates with it in the task [Twice]. Its journal
// is in dir. The server is closed when the test ends.
func Start(t *testing.T, dir string, calls ...Call) *Server {
	t.Helper()
	s := &Server{dir: dir, calls: calls}
	s.open(t)
	t.Cleanup(func() { s.close(t) })
	return s
}

func (s *Server) open(t *testing.T) {
	t.Helper()
	s.Hub = feed.New(feed.Options{})
	team := host.Team{Sync: journal.SyncNever, Team: desk.Team{Name: Team, Open: func(context.Context, desk.Keep) (*desk.Crew, error) {
		return &desk.Crew{Build: func(k desk.Keep, _ desk.Show) (swarm.Options, error) { return s.options(k, s.calls), nil }}, nil
	}}}
	h, err := host.Open(t.Context(), host.Options{Dir: s.dir, Teams: []host.Team{team}, Hub: s.Hub})
	if err == nil {
		err = h.Wait(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Host, s.Backend = h, h.Backend()
}

func (s *Server) close(t *testing.T) {
	t.Helper()
	s.Hub.Close()
	if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

// Restart ends the server, calls a function, unless it is nil, with the path of the journal, and
// starts the server again.
func (s *Server) Restart(t *testing.T, between func(journal string)) {
	t.Helper()
	s.close(t)
	if between != nil {
		between(filepath.Join(s.dir, Team+".journal"))
	}
	s.open(t)
}

func (s *Server) options(k desk.Keep, calls []Call) swarm.Options {
	may := &tools.Set{Record: cassette.Tools(k.Calls)}
	for _, c := range calls {
		if slices.ContainsFunc(may.May, func(r tools.Rule) bool { return r.Tools == c.Tool }) {
			continue
		}
		may.From = append(may.From, tools.Tool{
			Spec: tools.Spec{Name: c.Tool, Description: "Does " + c.Tool + ".", Input: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)},
			Call: func(_ context.Context, args json.RawMessage) (tools.Result, error) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.ran = append(s.ran, c.Tool+" "+string(args))
				return tools.Result{Text: "done"}, nil
			},
		})
		may.May = append(may.May, tools.Rule{Tools: c.Tool, Policy: tools.Ask})
	}
	team := []*agents.Agent{{ID: "planner", Reactor: agents.Func(func(ctx context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
		return plans(ctx, t, may, calls)
	})}}
	if len(calls) == 0 {
		team = append(team, &agents.Agent{ID: "payer", Reactor: agents.Func(pays)})
	}
	return swarm.Options{Quorum: 1, Seed: 1, Limits: swarm.Limits{Rounds: 4}, Agents: team}
}

// pays escalates, too, where that is the task.
func pays(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	if t.Task.Task != Twice || t.Round > 1 {
		return agents.Emit()
	}
	return agents.Emit(signals.New(signals.Header{Confidence: 1}, signals.Escalation{Reason: "Who pays?"}))
}

// plans makes the calls, and then says what came of them.
func plans(ctx context.Context, t *agents.Turn, may *tools.Set, calls []Call) iter.Seq2[signals.Any, error] {
	begun, err := may.Begin(ctx)
	if err != nil {
		return agents.Fail(err)
	}
	if len(calls) == 0 && t.Round == 1 {
		return agents.Emit(
			signals.New(signals.Header{Confidence: 1}, signals.Proposal{ProposalID: "keep", Content: "KEEP", Reasoning: "r"}),
			signals.New(signals.Header{Confidence: 1}, signals.Proposal{ProposalID: "delete", Content: "DELETE", Reasoning: "r"}),
			signals.New(signals.Header{Confidence: 1}, signals.Vote{ProposalID: "keep", Stance: signals.Agree, Weight: 0.1, Reasoning: "r"}),
			signals.New(signals.Header{Confidence: 1}, signals.Escalation{Reason: "May it be kept?"}),
		)
	}
	var made []models.Call
	for i, c := range calls {
		made = append(made, models.Call{ID: fmt.Sprint(i), Name: c.Tool, Args: json.RawMessage(strings.ReplaceAll(c.Args, "TASK", t.Task.Task))})
	}
	outcomes, err := begun.Make(ctx, made...)
	if err != nil {
		return agents.Fail(err)
	}
	said := "done"
	for _, o := range outcomes {
		said += "; " + o.Text
	}
	return agents.Emit(
		signals.New(signals.Header{Confidence: 1}, signals.Proposal{ProposalID: "done", Content: said, Reasoning: "r"}),
		signals.New(signals.Header{Confidence: 1}, signals.Vote{ProposalID: "done", Stance: signals.Agree, Weight: 1, Reasoning: "r"}),
	)
}

// Ran returns the calls that were made, each as tool and arguments, sorted.
func (s *Server) Ran() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.ran))
}

// Asks starts a solve, and returns what it asks when it waits.
func (s *Server) Asks(t *testing.T) (solve string, items []api.Item) {
	t.Helper()
	return s.Begin(t, "Do it.")
}

// Begin is Asks with a task.
func (s *Server) Begin(t *testing.T, task string) (solve string, items []api.Item) {
	t.Helper()
	one, err := s.Backend.Solves.Start(t.Context(), api.NewSolve{Team: Team, Task: task})
	if err != nil {
		t.Fatal(err)
	}
	s.until(t, one.ID, func(one api.Solve) bool { return one.State == api.Waiting && len(s.Open(t, one.ID)) > 0 })
	return one.ID, s.Open(t, one.ID)
}

// Open returns what a solve asks.
func (s *Server) Open(t *testing.T, solve string) []api.Item {
	t.Helper()
	items, err := s.Backend.Inbox.Items(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(items, func(i api.Item) bool { return i.Solve != solve })
}

// Done returns a solve when it has ended.
func (s *Server) Done(t *testing.T, solve string) api.Solve {
	t.Helper()
	return s.until(t, solve, func(one api.Solve) bool { return one.State != api.Running && one.State != api.Waiting })
}

func (s *Server) until(t *testing.T, solve string, holds func(api.Solve) bool) api.Solve {
	t.Helper()
	for {
		one, err := s.Backend.Solves.Get(t.Context(), solve, 1<<62)
		if err != nil {
			t.Fatal(err)
		}
		if holds(one.Solve) {
			return one.Solve
		}
		if err := s.Backend.Solves.Changed(t.Context(), one.Solve); err != nil {
			t.Fatal(err)
		}
	}
}
