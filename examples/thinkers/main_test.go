package main

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/anthropic"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/agents/models/openai"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestExampleDecidesWithinItsBudget(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"consensus", "never sooner than Retry-After", "spent  in all    9 calls", "budget: 8256 tokens and 0usd spent"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the transcript lacks %q:\n%s", want, out.String())
		}
	}
}

// adapters are the same swarm's ways to a model.
var adapters = map[string]struct {
	dialect modelstest.Dialect
	open    func(t *testing.T, base string, client *http.Client) models.Model // nil: its own
}{
	"openai": {modelstest.OpenAI, func(t *testing.T, base string, client *http.Client) models.Model {
		m, err := openai.New(openai.Options{Model: modelstest.Name, BaseURL: base, Key: modelstest.Key, Client: client})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Close)
		return m
	}},
	"anthropic": {modelstest.Anthropic, func(t *testing.T, base string, client *http.Client) models.Model {
		m, err := anthropic.New(anthropic.Options{Model: modelstest.Name, BaseURL: base, Key: modelstest.Key, Client: client})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Close)
		return m
	}},
}

// eight are eight agents of three roles.
func eight(m models.Model, show func(string, models.Piece)) (all []*agents.Agent) {
	for i := range 8 {
		role := []string{"planner", "critic", "verifier", "critic-2", "verifier-2", "critic-3", "verifier-3", "critic-4"}[i]
		all = append(all, thinker.Thinker{ID: role, Model: m, Show: show}.Agent())
	}
	return all
}

var task = signals.Task{Task: "Which retry policy should our clients use?"}

// solve returns the log of a solve, byte for byte, and its result.
func solve(t *testing.T, ctx context.Context, team []*agents.Agent) (string, *solves.Result) {
	t.Helper()
	return solveWith(t, ctx, swarm.Options{Agents: team})
}

func solveWith(t *testing.T, ctx context.Context, o swarm.Options) (string, *solves.Result) {
	t.Helper()
	o.Seed, o.Clock = 1, swarm.StepClock(time.Unix(0, 0), time.Millisecond)
	s, err := swarm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	var log bytes.Buffer
	write := transcript.Log(&log)
	for e, err := range s.Stream(ctx, task) {
		if err != nil {
			t.Fatal(err)
		}
		if err := write(e); err != nil {
			t.Fatal(err)
		}
		if stopped, ok := e.(solves.Stopped); ok {
			return log.String(), stopped.Result
		}
	}
	t.Fatal("no result")
	return "", nil
}

// TestSwarmSolvesOverEachAdapterStreamsAndStaysInBudget is one swarm of eight agents
// over each protocol.
func TestSwarmSolvesOverEachAdapterStreamsAndStaysInBudget(t *testing.T) {
	for name, a := range adapters {
		t.Run(name, func(t *testing.T) {
			server := modelstest.NewServer(a.dialect, script)
			defer server.Close()
			budget := limits.NewBudget(limits.Spend{Tokens: 500_000})
			m := limits.New(limits.Options{Budget: budget}).Limit(a.open(t, server.URL, nil))
			var pieces atomic.Int32
			_, r := solve(t, t.Context(), eight(m, func(string, models.Piece) { pieces.Add(1) }))
			account, counted := budget.Account(), server.Spent()
			if r.Stop != runlog.StopConsensus || !strings.Contains(r.Answer, "full jitter") || len(server.Refused()) > 0 {
				t.Errorf("%v: %q, %v, the server refused %v", r.Stop, r.Answer, r.Detail, server.Refused())
			}
			if account.Spent.Tokens != counted.Tokens() || account.Reserved.Tokens != 0 || account.Over.Tokens != 0 || r.SpentInAll().InputTokens != counted.Input {
				t.Errorf("the budget has %+v, the result %+v, the server counts %+v", account, r.SpentInAll(), counted)
			}
			if calls := len(server.Requests()); int(pieces.Load()) <= 2*calls || calls < 16 {
				t.Errorf("%d pieces of %d answers", pieces.Load(), calls)
			}
		})
	}
}

// TestBudgetEndsASwarmOfEightWithoutOverspending gives less than the solve needs.
func TestBudgetEndsASwarmOfEightWithoutOverspending(t *testing.T) {
	for name, a := range adapters {
		t.Run(name, func(t *testing.T) {
			for _, most := range []int{7_500, 9_000, 12_000} {
				server := modelstest.NewServer(a.dialect, func(n int, r *models.Request) modelstest.Reply {
					reply := script(n, r)
					reply.Usage = models.Usage{Input: bytesOf(r), Output: r.Most} // as much as there can be
					return reply
				})
				budget := limits.NewBudget(limits.Spend{Tokens: most})
				m := limits.New(limits.Options{Budget: budget}).Limit(a.open(t, server.URL, nil))
				_, r := solve(t, t.Context(), eight(m, nil))
				server.Close()
				account, counted := budget.Account(), server.Spent().Tokens()
				if counted > most || account.Spent.Tokens != counted || account.Refused == 0 || counted == 0 {
					t.Errorf("of %d tokens the server counts %d, the budget %+v; %v", most, counted, account, r.Stop)
				}
			}
		})
	}
}

// TestCancelStopsASwarmWithin50ms lets the server stall in the middle of all answers. The
// network is in memory, so that time is that of the test's bubble, and exact.
func TestCancelStopsASwarmWithin50ms(t *testing.T) {
	for name, a := range adapters {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int32
				client := serve(t, modelstest.Handler(a.dialect, func(n int, r *models.Request) modelstest.Reply {
					reply := script(n, r)
					if calls.Add(1) > 8 {
						reply.Fault = modelstest.Stalls
					}
					return reply
				}))
				m := limits.New(limits.Options{}).Limit(a.open(t, "http://in.memory", client))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() {
					time.Sleep(time.Second) // all are in the middle of it
					cancel()
				}()
				began := time.Now()
				_, r := solve(t, ctx, eight(m, nil))
				if took := time.Since(began) - time.Second; took < 0 || took > 50*time.Millisecond || r.Stop != runlog.StopCancelled || calls.Load() != 16 {
					t.Errorf("%v %v after it was canceled, after %d calls, want 16", r.Stop, took, calls.Load())
				}
				time.Sleep(time.Hour)
				if calls.Load() != 16 {
					t.Errorf("%d calls were made after it was canceled", calls.Load()-16)
				}
			})
		})
	}
}

// serve serves connections in memory, and returns the client that makes them.
func serve(t *testing.T, h http.Handler) *http.Client {
	conns := make(pipes)
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	ended := make(chan error)
	go func() { ended <- server.Serve(conns) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
	return &http.Client{Transport: &http.Transport{DialContext: conns.dial}}
}

// pipes is a listener for connections in memory.
type pipes chan net.Conn

func (p pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	mine, theirs := net.Pipe()
	select {
	case p <- theirs:
		return mine, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "in.memory"} }

// TestCassetteReplaysByteForByteWithTheNetworkClosed records a run, closes the server
// and plays it again.
func TestCassetteReplaysByteForByteWithTheNetworkClosed(t *testing.T) {
	for name, a := range adapters {
		t.Run(name, func(t *testing.T) {
			var critic atomic.Int32
			server := modelstest.NewServer(a.dialect, func(n int, r *models.Request) modelstest.Reply {
				if strings.HasPrefix(r.System, "You are critic,") && critic.Add(1) == 2 {
					return modelstest.Reply{Status: 400} // a failure is a part of the run, too
				}
				return script(n, r)
			})
			store := &journal.Memory{}
			recorder, err := journal.NewRecorder(store)
			if err != nil {
				t.Fatal(err)
			}
			real := a.open(t, server.URL, nil)
			recorded, first := solve(t, t.Context(), eight(cassette.Model(real, recorder), nil))
			server.Close()
			results, err := journal.ReadResults(store)
			if err != nil {
				t.Fatal(err)
			}
			replayed, second := solve(t, t.Context(), eight(cassette.Replay(real.ID(), results), nil))
			if replayed != recorded || recorded == "" {
				t.Errorf("the logs differ:\n%s\n%s", recorded, replayed)
			}
			if first.Turns != second.Turns || first.Turns.Failed != 1 {
				t.Errorf("turns %+v, then %+v", first.Turns, second.Turns)
			}
			for record, err := range store.Read(0) {
				if err != nil || strings.Contains(string(record.Head)+string(record.Body), modelstest.Key) {
					t.Errorf("%v: the key is in the record %s", err, record.Body)
				}
			}
		})
	}
}

// voting is a swarm of a scripted proposer and two agents that vote, of which the
// server answers one as told.
func voting(t *testing.T, a string, reply func(try int) modelstest.Reply) (*solves.Result, *modelstest.Server) {
	t.Helper()
	var tries atomic.Int32
	server := modelstest.NewServer(adapters[a].dialect, func(_ int, r *models.Request) modelstest.Reply {
		if strings.HasPrefix(r.System, "You are odd,") && strings.Contains(r.Messages[len(r.Messages)-1].Text+r.Messages[max(0, len(r.Messages)-3)].Text, `"P1"`) {
			return reply(int(tries.Add(1)))
		}
		return modelstest.Reply{Text: pass}
	})
	t.Cleanup(server.Close)
	m := limits.New(limits.Options{Pause: time.Millisecond}).Limit(adapters[a].open(t, server.URL, nil))
	team := []*agents.Agent{
		{ID: "planner", CanEmit: []signals.Kind{signals.KindProposal}, Reactor: agents.On(func(context.Context, *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
			return agents.Emit(agents.Propose("plan", "retry at once", 0.9, ""))
		})},
		thinker.Thinker{ID: "odd", Model: m}.Agent(), thinker.Thinker{ID: "even", Model: m}.Agent(),
	}
	_, r := solve(t, t.Context(), team)
	return r, server
}

// TestAnAnswerIsRepairedAfterToolCalls over servers that refuse calls of tools that a
// request does not have, and answers that call tools all the same.
func TestAnAnswerIsRepairedAfterToolCalls(t *testing.T) {
	for name, a := range adapters {
		t.Run(name, func(t *testing.T) {
			server := modelstest.NewServer(a.dialect, func(n int, r *models.Request) modelstest.Reply {
				if n == 1 {
					return modelstest.Reply{Calls: []models.Call{{ID: "call_1", Name: "look_up", Args: []byte(`{}`)}}}
				}
				return modelstest.Reply{Text: map[bool]string{false: "mumble", true: pass}[r.NoCalls]}
			})
			defer server.Close()
			th := thinker.Thinker{ID: "odd", Model: a.open(t, server.URL, nil), Tools: tools.Of(tools.Func("look_up", "", tools.Hints{}, func(context.Context, struct{}) (string, error) {
				return "chance", nil
			}))}
			said, err := th.Agent().Take(t.Context(), &agents.Turn{Round: 1, Task: task})
			if err != nil || len(said) != 2 || len(server.Requests()) != 3 || len(server.Refused()) > 0 {
				t.Errorf("said %v, %v; %d requests taken, refused: %v", said, err, len(server.Requests()), server.Refused())
			}
		})
	}
}

func votesOf(r *solves.Result, voter string) (all []string) {
	for _, s := range r.Log {
		if v, ok := signals.As[signals.Vote](s); ok && v.Source == voter {
			all = append(all, fmt.Sprintf("%s %s: %s", v.Payload.Stance, v.Payload.ProposalID, v.Payload.Reasoning))
		}
	}
	return all
}

// TestVotesAreWhatTheModelAnswered: strong words are what they say, nonsense is no
// vote, and a member asked to wait five times keeps its vote.
func TestVotesAreWhatTheModelAnswered(t *testing.T) {
	const words = `I strongly disagree, because it floods the service`
	disagrees := modelstest.Reply{Text: `{"say":[{"type":"vote","proposal":"P1","reasons":"` + words + `","stance":"disagree","confidence":0.95}]}`}
	for name := range adapters {
		t.Run(name, func(t *testing.T) {
			r, _ := voting(t, name, func(try int) modelstest.Reply {
				if try == 1 {
					return modelstest.Reply{Text: words} // in prose, before it is asked for the form
				}
				return disagrees
			})
			if got := votesOf(r, "odd"); len(got) == 0 || got[0] != "disagree plan: "+words || r.Spent["odd"].Repairs != 1 {
				t.Errorf("strong words: votes %q, %+v", got, r.Spent["odd"])
			}

			r, _ = voting(t, name, func(int) modelstest.Reply { return modelstest.Reply{Text: "mumble"} })
			if got := votesOf(r, "odd"); len(got) != 0 || r.Spent["odd"].Refusals != 1 || r.Turns.Failed != 1 {
				t.Errorf("nonsense: votes %q, %+v, %+v", got, r.Spent["odd"], r.Turns)
			}

			var server *modelstest.Server
			r, server = voting(t, name, func(try int) modelstest.Reply {
				if try <= 5 {
					return modelstest.Reply{Status: 429, RetryAfter: "0.02"}
				}
				return disagrees
			})
			if got := votesOf(r, "odd"); len(got) == 0 || r.Turns.Failed != 0 || len(server.Times()) < 8 {
				t.Errorf("five times 429: votes %q, %+v", got, r.Turns)
			}
		})
	}
}
