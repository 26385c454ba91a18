package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/agents/models/openai"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// mistakes are all of them, by kind.
var mistakes = []struct {
	what string
	all  []mistake
}{
	{"Files of teams", []mistake{
		{"unknown key", `5:13: agents[0].rolle`, `did you mean "role"`, checked("role: You propose.", "rolle: You propose.")},
		{"unknown key of the team", `7:1: treshold`, `did you mean "threshold"`, checked("mode: deliberate", "treshold: 0.7")},
		{"unknown model", `6:31: agents[1].model`, `did you mean "main"`, checked("You doubt., model: main", "You doubt., model: mian")},
		{"unknown provider", `3:10: models.main.provider`, `did you mean "ollama"`, checked("provider: ollama", "provider: olama")},
		{"a threshold in words", `7:12: threshold`, `not a number`, checked("mode: deliberate", "threshold: high")},
		{"a threshold in percent", `7:1: threshold`, `above 0 and at most 1`, checked("mode: deliberate", "threshold: 70")},
		{"unknown strategy", `7:1: strategy`, `want one of`, checked("mode: deliberate", "strategy: best")},
		{"unknown mode", `7:1: mode`, `want one of`, checked("mode: deliberate", "mode: fast")},
		{"a duration without a unit", `t.yaml`, `such as 90s or 10m`, checked("mode: deliberate", "deadline: 5")},
		{"a budget without a unit", `7:1: budget`, `such as 0.50usd`, checked("mode: deliberate", "budget: 100")},
		{"a budget in another currency", `7:1: budget`, `such as 0.50usd`, checked("mode: deliberate", "budget: 5eur")},
		{"a number of rounds below 1", `7:1: rounds`, `is not positive`, checked("mode: deliberate", "rounds: -1")},
		{"a weight in percent", `agents[1].weight`, `not in [0,1]`, checked("role: You doubt.,", "role: You doubt., weight: 90,")},
		{"a trait in percent", `agents[1].personality`, `not in [0,1]`, checked("role: You doubt.,", "role: You doubt., personality: {caution: 80},")},
		{"no agents", `2:1: agents`, `want 1 to 64`, file("name: t\nagents: []\n", "team check t.yaml")},
		{"two agents with one id", `6:6: agents[1].id`, `is taken`, checked("id: b", "id: a")},
		{"an advocate who is nobody", `7:1: advocate`, `did you mean "a"`, checked("mode: deliberate", "advocate: c")},
		{"a tab", `8:1`, `indent with spaces`, checked("mode: deliberate", "limits:\n\tmode: deliberate")},
		{"a bracket that is not closed", `7:1`, `must be specified`, checked("role: You doubt., model: main}", "role: You doubt., model: main")},
		{"an empty file", `t.yaml`, `with keys and their values`, file("", "team check t.yaml")},
		{"a list in place of a team", `t.yaml`, `with keys and their values`, file("- a\n- b\n", "team check t.yaml")},
		{"a key of a provider in the file", `3:33`, `name the environment variable`, checked("provider: ollama", "provider: openai, key: sk-1234567890abcdefghijklmnopqrstuv")},
		{"no such file", `nosuch.yaml`, `no such file`, ran("team check nosuch.yaml")},
		{"no such ready-made team", `"revew"`, `debug, decision, research, review`, ran("solve Q --team revew")},
		{"a directory in place of a file", `read .`, `is a directory`, ran("team check .")},
		{"a tool of a server that is not there", `agents[1].tools.nosuch/x`, `no server is called`, checked("role: You doubt.,", "role: You doubt., tools: {nosuch/x: allow},")},
		{"a policy that is none", `agents[1].tools.x`, `want one of`, checked("role: You doubt.,", "role: You doubt., tools: {x: always},")},
		{"a function in a team of the command", `agent "b", tools`, `is server/tool`, checkedBy("solve Q --team t.yaml", "role: You doubt.,", "role: You doubt., tools: {search: allow},")},
		{"an MCP command that is missing", `server rb`, `run it by hand: ./none`, file(toolTeam("{command: [./none]}", "rb/search: allow"), "doctor --team t.yaml")},
		{"an MCP command that ends at once", `server rb`, `run it by hand: true`, file(toolTeam("{command: ['true']}", "rb/search: allow"), "doctor --team t.yaml")},
		{"a command that is no MCP server", `server rb`, `run it by hand: cat`, file(toolTeam("{command: [cat]}", "rb/search: allow"), "doctor --team t.yaml")},
		{"a memory in a directory that is not there", `memory nosuch/m.db`, `make the directory`, checkedBy("doctor --team t.yaml", "mode: deliberate", "  - {id: c, role: You check., group: others}\nmemory: {store: nosuch/m.db}")},
	}},
	{"Flags of solve", []mistake{
		{"no task", `a task`, `swarmbus solve "TASK"`, ran("solve --model ollama:m")},
		{"no model", `--model`, `set the key of a provider, such as ANTHROPIC_API_KEY`, ran("solve Q")},
		{"an unknown flag", `--modell`, `did you mean "--model"`, ran("solve Q --modell ollama:m")},
		{"an unknown short flag", `-m`, `see swarmbus solve --help`, ran("solve Q -m ollama:m")},
		{"an unknown flag of another command", `--knd`, `did you mean "--kind"`, ran("log j.journal --knd vote")},
		{"an unknown command", `"slove"`, `did you mean "solve"`, ran("slove Q")},
		{"a shell that is not completed", `"bogus"`, `see swarmbus completion --help`, ran("completion bogus")},
		{"a flag without its value", `--model`, `needs a value`, ran("solve Q --model")},
		{"a model without a provider", `--model "small"`, `PROVIDER:NAME`, ran("solve Q --model small")},
		{"a provider that is none", `--model "opnai:small"`, `did you mean "openai"?`, ran("solve Q --model opnai:small")},
		{"a key that is not set", `openai:large`, `set OPENAI_API_KEY`, ran("solve Q --model openai:large")},
		{"an unknown strategy", `--strategy "best"`, `not voting,`, ran("solve Q --model ollama:m --strategy best")},
		{"an unknown mode", `--mode "fast"`, `not deliberate,`, ran("solve Q --model ollama:m --mode fast")},
		{"a threshold in percent", `--threshold 70`, `above 0 and at most 1`, ran("solve Q --model ollama:m --threshold 70")},
		{"a quorum above the number of agents", `quorum: 9`, `from 1 to 3`, ran("solve Q --model ollama:m --mode deliberate --quorum 9")},
		{"a strategy in a mode without one", `--strategy voting`, `only in mode deliberate`, ran("solve Q --model ollama:m --mode vote --strategy voting")},
		{"a number in words", `--agents "three"`, `a whole number`, ran("solve Q --model ollama:m --agents three")},
		{"too many agents", `--agents 100`, `from 1 to 64`, ran("solve Q --model ollama:m --agents 100")},
		{"a negative seed", `--seed "-1"`, `at least 0`, ran("solve Q --model ollama:m --seed -1")},
		{"a duration without a unit", `--deadline "5"`, `such as 90s or 10m`, ran("solve Q --model ollama:m --deadline 5")},
		{"a deadline of none", `--deadline 0s`, `is not positive`, ran("solve Q --model ollama:m --deadline 0s")},
		{"an advocate who is nobody", `advocate: "nobody"`, `one of planner, critic, verifier`, ran("solve Q --model ollama:m --mode deliberate --advocate nobody")},
		{"a writer that is no model of the team", `writer`, `did you mean "ollama:m"`, ran("solve Q --model ollama:m --writer ollama:n")},
		{"a budget without a unit", `--budget "100"`, `such as 0.50usd`, ran("solve Q --model ollama:m --budget 100")},
		{"a budget in money without a price", `--budget 1usd`, `--price openai:large=IN/OUT`, ran("solve Q --model openai:large --budget 1usd")},
		{"a price of one number", `--price "openai:large=2"`, `PROVIDER:NAME=IN/OUT`, ran("solve Q --model openai:large --price openai:large=2")},
		{"a budget that is too small", `openai:large: it may take`, `100 of 100 tokens are left`, withKey("solve Q --model openai:large --base-url http://127.0.0.1:1/v1 --budget 100tokens --mode deliberate")},
		{"two forms of output", `--json and --log`, `exclude each other`, ran("solve Q --model ollama:m --json --log")},
		{"a model that the provider does not have", `openai:nosuch`, `swarmbus doctor, with`, modelSays(404, `{"error":{"message":"The model nosuch does not exist","code":"model_not_found"}}`, "solve Q --mode deliberate --model openai:nosuch --base-url BASE/v1")},
		{"a base URL without a path", `has no path`, `such as /v1`, modelSays(404, `404 page not found`, "solve Q --mode deliberate --model openai:large --base-url BASE")},
		{"a wrong key", `openai:large: status 401`, `swarmbus doctor, with`, modelSays(401, `{"error":{"message":"Incorrect API key provided"}}`, "solve Q --mode deliberate --model openai:large --base-url BASE/v1")},
		{"a page in place of an answer", `text/html`, `swarmbus doctor, with`, modelSays(200, `<html>Sign in</html>`, "solve Q --mode deliberate --agents 1 --rounds 1 --model openai:large --base-url BASE/v1")},
		{"a server that does not listen", `127.0.0.1:1/v1`, `swarmbus doctor, with`, withKey("solve Q --mode deliberate --model openai:large --base-url http://127.0.0.1:1/v1")},
		{"a base URL without a scheme", `"127.0.0.1:1/v1"`, `such as http://`, withKey("solve Q --mode deliberate --model openai:large --base-url 127.0.0.1:1/v1")},
		{"a file of --team and --agents", `--agents`, `cannot be combined with --team`, ran("solve Q --team review --agents 3")},
	}},
	{"Runs", []mistake{
		{"a run that is already there", `--journal ./j.journal`, `solve --resume ./j.journal`, kept("decide", "solve Q --mode deliberate --model ollama:m --journal ./j.journal")},
		{"a journal that another process writes", `j.journal is open`, `in process 544`, func(t *testing.T) string {
			j, err := journal.Open("j.journal", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			return command(t, "retract ./j.journal 1 wrong")
		}},
		{"a journal that is damaged", `./j.journal is damaged at byte`, `restore a copy`, func(t *testing.T) string {
			keepSolves(t, "j.journal", "decide")
			text, err := os.ReadFile("j.journal")
			if err != nil {
				t.Fatal(err)
			}
			text[len(text)/2] ^= 1
			write(t, "j.journal", string(text))
			return command(t, "show ./j.journal")
		}},
		{"a file that is no journal", `./t.yaml`, `is not a journal`, file("hello\n", "show ./t.yaml")},
		{"no such run", `"nosuch"`, `swarmbus runs lists`, ran("show nosuch")},
		{"no such file", `./nosuch.journal`, `swarmbus runs DIR lists`, ran("show ./nosuch.journal")},
		{"a journal in a directory that is not there", `nosuch/x.journal`, `needs a directory that is there`, inGo(`journal.Open("nosuch/x.journal", nil)`, func(*testing.T) error { _, err := journal.Open("nosuch/x.journal", nil); return err })},
		{"runs of a directory that is not there", `stat nosuch`, `no such file`, ran("runs nosuch")},
		{"an answer to a run that is decided", `no solve in it waits`, `swarmbus show prints`, kept("decide", "answer ./j.journal yes")},
		{"an answer to a run that was rejected", `no solve in it waits`, `swarmbus show prints`, kept("reject", "answer ./j.journal yes")},
		{"a run that is decided, to go on with", `not recorded by swarmbus solve`, `by Swarm.Resume`, kept("decide", "solve --resume ./j.journal")},
		{"a task with --resume", `--resume`, `takes the task from the run`, kept("decide", "solve Q --resume ./j.journal")},
		{"a signal that is not there", `a signal 99`, `no solve of the run`, kept("decide", "retract ./j.journal 99 wrong")},
		{"a retraction without a reason", `a run, the number of a signal and a reason`, `are required`, kept("decide", "retract ./j.journal 2")},
		{"a thread that is not there", `--thread "solve-1"`, `the thread of no signal`, kept("decide", "log ./j.journal --thread solve-1")},
		{"a kind that is none", `--kind "propsal"`, `did you mean "proposal"`, kept("decide", "log ./j.journal --kind propsal")},
		{"a time that is none", `"yesterday"`, `such as 2026`, kept("decide", "log ./j.journal --since yesterday")},
		{"a schema that is none", `"singal"`, `swarmbus schema lists them`, ran("schema singal")},
		{"votes that are not there", `no votes.csv in nosuch`, `or its directories`, ran("decide --votes nosuch")},
		{"votes without their columns", `votes.csv: the first line`, `must begin with the columns`, func(t *testing.T) string {
			write(t, "votes.csv", "a;b;c\n1;2;3\n")
			return command(t, "decide --votes .")
		}},
	}},
	{"The server and rooms", []mistake{
		{"a port in use", `--addr, or addr`, `needs a free address`, func(t *testing.T) string {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			return command(t, "serve --demo --addr "+l.Addr().String())
		}},
		{"an address without a port", `--addr, or addr`, `such as 127.0.0.1`, ran("serve --demo --addr 127.0.0.1")},
		{"a port alone", `--addr, or addr`, `such as 127.0.0.1`, ran("serve --demo --addr 7400")},
		{"a public address without TLS", `0.0.0.0:0`, `needs tls in the file of --config`, ran("serve --demo --addr 0.0.0.0:0")},
		{"a public URL without a scheme", `"console.example.org"`, `such as https://console.example.org/`, ran("serve --demo --addr 127.0.0.1:0 --public-url console.example.org")},
		{"a trusted proxy by its name", `"proxy.example.org"`, `trusted in the file of --config`, file("trusted: [proxy.example.org]\n", "serve --config t.yaml --addr 127.0.0.1:0 --dir .")},
		{"a link in a variable that is not set", `"--server"`, `want the link that serve prints`, ran("runs --server=")},
		{"an unknown key of the server's file", `t.yaml:1:1`, `adr: there is no such key; did you mean "addr"?`, file("adr: 127.0.0.1:0\n", "serve --config t.yaml")},
		{"a team of the server's file that is not there", `./nosuch.yaml`, `teams in the file of --config`, file("teams: [./nosuch.yaml]\n", "serve --config t.yaml --addr 127.0.0.1:0 --dir .")},
		{"a certificate that is not there", `open c.pem`, `tls in the file of --config`, file("addr: 127.0.0.1:0\ntls: {cert: c.pem, key: k.pem}\n", "serve --config t.yaml --dir .")},
		{"a temporary directory that is not there", `TMPDIR`, `needs --dir`, func(t *testing.T) string {
			t.Setenv("TMPDIR", filepath.Join(os.TempDir(), "nosuch"))
			return command(t, "serve --demo --addr 127.0.0.1:0")
		}},
		{"a server that is not there", `--server`, `use the link that it printed`, ran("runs --server http://127.0.0.1:1")},
		{"a link that is none", `"localhost"`, `begin with http:// or https://`, ran("runs --server localhost")},
		{"a collector without a scheme", `OTEL_EXPORTER_OTLP_ENDPOINT`, `one of http://HOST:PORT`, func(t *testing.T) string {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4317")
			return command(t, "solve Q --model ollama:m --otel")
		}},
		{"an address of no NATS server", `--nats is "http://127.0.0.1:1"`, `nats://, tls://`, ran("solve Q --nats http://127.0.0.1:1 --team review --model ollama:m")},
		{"an agent of a room with neither model nor script", `2:6: agents[0]: "Ann"`, `neither a model nor a script`, file("agents:\n  - {name: Ann, rooms: [ops]}\n", "rooms t.yaml")},
		{"an agent of a room with an unknown key", `2:17`, `did you mean "rooms"`, file("agents:\n  - {name: Ann, room: [ops], script: [{say: x}]}\n", "rooms t.yaml")},
		{"broken JSON for the API", `"location":"body"`, `unexpected end of JSON`, posted("/api/solves", `{"team":`)},
		{"an unknown key for the API", `"location":"body.tsak"`, `unexpected property`, posted("/api/solves", `{"team":"platform","task":"Q","tsak":"x"}`)},
		{"an unknown team for the API", `"detail"`, `there is no team`, posted("/api/solves", `{"team":"platfor","task":"Q"}`)},
		{"a misspelt tool of a server", `agents[0].tools`, `did you mean "rb/search"`, func(t *testing.T) string {
			write(t, "t.yaml", toolTeam("{command: [./none]}", "rb/serach: allow"))
			team, err := teams.Load("t.yaml")
			if err != nil {
				t.Fatal(err)
			}
			search := tools.Tool{Spec: tools.Spec{Server: "rb", Name: "search"}}
			return "tools: {rb/serach: allow}\n" + team.CheckTools("rb", []tools.Tool{search}).Error()
		}},
		{"an unknown room", `--room`, `did you mean "ops"`, file("agents:\n  - {name: Ann, rooms: [ops], script: [{say: x}]}\n", "rooms t.yaml --room opps")},
	}},
	{"Options in Go", []mistake{
		{"no agents", `agents`, `required: at least one`, inGo(`swarm.New(swarm.Options{})`, newSwarm(func(o *swarm.Options) { o.Agents = nil }))},
		{"a Thinker without a model", `agents[0] "x"`, `thinker.model: required`, inGo(`thinker.Thinker{ID: "x"}.Agent()`, newSwarm(func(o *swarm.Options) { o.Agents[0] = thinker.Thinker{ID: "x"}.Agent() }))},
		{"an agent without a reactor", `agents[0] "x"`, `required: agents.Func`, inGo(`&agents.Agent{ID: "x"}`, newSwarm(func(o *swarm.Options) { o.Agents[0] = &agents.Agent{ID: "x"} }))},
		{"an agent without an id", `agents[0]`, `agent.id: required`, inGo(`&agents.Agent{Reactor: f}`, newSwarm(func(o *swarm.Options) { o.Agents[0].ID = "" }))},
		{"a nil agent", `agents[0]`, `missing`, inGo(`swarm.Options{Agents: []*agents.Agent{nil}}`, newSwarm(func(o *swarm.Options) { o.Agents[0] = nil }))},
		{"two agents with one id", `agents[1]`, `needs an id of its own`, inGo(`swarm.Options{Agents: []*agents.Agent{{ID: "b"}, {ID: "b"}}}`, newSwarm(func(o *swarm.Options) { o.Agents[0].ID = "b" }))},
		{"a weight in percent", `agents[0] "a"`, `not in [0,1]`, inGo(`agents.Agent{Weight: 90}`, newSwarm(func(o *swarm.Options) { o.Agents[0].Weight = 90 }))},
		{"a trait in percent", `agents[0] "a"`, `not in [0,1]`, inGo(`agents.Personality{Caution: 80}`, newSwarm(func(o *swarm.Options) { o.Agents[0].Personality.Caution = 80 }))},
		{"a reserved kind in CanEmit", `agent "a"`, `leave it out of CanEmit`, inGo(`agents.Agent{CanEmit: []signals.Kind{"consensus"}}`, newSwarm(func(o *swarm.Options) { o.Agents[0].CanEmit = []signals.Kind{signals.KindConsensus} }))},
		{"a threshold in percent", `threshold is 70`, `above 0 and up to 1`, inGo(`swarm.Options{Threshold: 70}`, newSwarm(func(o *swarm.Options) { o.Threshold = 70 }))},
		{"a quorum above the number of agents", `quorum is 9`, `at most the electorate of 3`, inGo(`swarm.Options{Quorum: 9}`, newSwarm(func(o *swarm.Options) { o.Quorum = 9 }))},
		{"a negative limit", `limits.rounds`, `at least 0`, inGo(`swarm.Limits{Rounds: -1}`, newSwarm(func(o *swarm.Options) { o.Limits.Rounds = -1 }))},
		{"a negative deadline", `limits.deadline`, `negative`, inGo(`swarm.Limits{Deadline: -time.Second}`, newSwarm(func(o *swarm.Options) { o.Limits.Deadline = -time.Second }))},
		{"a mode that is none", `mode = "99"`, `not one of`, inGo(`swarm.Options{Mode: 99}`, newSwarm(func(o *swarm.Options) { o.Mode = 99 }))},
		{"an advocate who is nobody", `coordination.advocate = "d"`, `not the id of an agent`, inGo(`swarm.Coordination{Advocate: "d"}`, newSwarm(func(o *swarm.Options) { o.Coordination.Advocate = "d" }))},
		{"a model without a name", `Options.Model`, `is required`, inGo(`openai.New(openai.Options{})`, func(*testing.T) error { _, err := openai.New(openai.Options{}); return err })},
		{"a base URL without a scheme", `BaseURL`, `must begin with http`, inGo(`openai.New(openai.Options{Model: "m", BaseURL: "localhost:8000"})`, func(*testing.T) error {
			_, err := openai.New(openai.Options{Model: "m", BaseURL: "localhost:8000"})
			return err
		})},
		{"a negative option of a bus", `History is -1`, `not from 0`, inGo(`bus.New(&bus.Options{History: -1})`, func(*testing.T) error { _, err := bus.New(&bus.Options{History: -1}); return err })},
		{"a layer after the first signal", `layer "main"`, `make the layer before`, inGo(`connectivity.New(b, nil)`, func(t *testing.T) error {
			b := newBus(t)
			if err := publishedBy(b, agents.Propose("a", "x", 0.9, "y")); err != nil {
				t.Fatal(err)
			}
			_, err := connectivity.New(b, nil)
			return err
		})},
		{"a task without text", `task:new.task`, `required`, inGo(`s.Solve(ctx, signals.Task{})`, func(t *testing.T) error {
			s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{speaker("a")}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			_, err = s.Solve(t.Context(), signals.Task{})
			return err
		})},
		{"a context that is canceled", `swarm: the solve was not started`, `context canceled`, inGo(`cancel(); s.Solve(ctx, task)`, func(t *testing.T) error {
			s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{speaker("a")}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err = s.Solve(ctx, signals.Task{Task: "t"})
			return err
		})},
	}},
	{"Budgets in Go", []mistake{
		{"a budget that calls of unknown cost have used up", `100 of 1000 tokens`, `Budget.Settle`, inGo(`budget.Book(limits.Change{Open: …}); model.Ask(ctx, r)`, func(t *testing.T) error {
			budget := limits.NewBudget(limits.Spend{Tokens: 1000})
			budget.Book(limits.Change{Open: limits.Spend{Tokens: 900}})
			_, err := limits.New(limits.Options{Budget: budget}).Limit(&models.Scripted{}).Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("Well?")}, Most: 500})
			return err
		})},
	}},
	{"Signals in Go", []mistake{
		{"a kind that is not in CanEmit", `agent "a" may not publish "proposal"`, `not in CanEmit`, inGo(`agents.Agent{CanEmit: []signals.Kind{"vote"}} proposes`, func(t *testing.T) error {
			a := speaker("a", agents.Propose("p", "x", 0.9, "y"))
			a.CanEmit = []signals.Kind{signals.KindVote}
			return solved(a, speaker("b"))(t)
		})},
		{"a negative value of an own kind", `vote.weight`, `not in [0,1]`, inGo(`signals.Vote{Weight: -1}`, func(t *testing.T) error {
			return publishedBy(newBus(t), signals.New(signals.Header{Confidence: 1}, signals.Vote{ProposalID: "p", Stance: signals.Agree, Reasoning: "r", Weight: -1}))
		})},
		{"a confidence in percent", `proposal.confidence`, `not in [0,1]`, inGo(`agents.Propose("p", "x", 90, "y")`, func(t *testing.T) error {
			return publishedBy(newBus(t), agents.Propose("p", "x", 90, "y"))
		})},
		{"a proposal without content", `proposal.content`, `required`, inGo(`agents.Propose("p", "", 0.9, "y")`, func(t *testing.T) error {
			return publishedBy(newBus(t), agents.Propose("p", "", 0.9, "y"))
		})},
		{"a pointer as a payload", `*signals.Discovery`, `pass the value`, inGo(`signals.New(h, &task)`, func(t *testing.T) error {
			return publishedBy(newBus(t), signals.New(signals.Header{Confidence: 1}, &signals.Discovery{Finding: "f"}))
		})},
		{"a vote on an unknown proposal", `b voted on "prposal"`, `did you mean "proposal"`, inGo(`agents.Agree("prposal", 0.9, "y")`, solved(speaker("a", agents.Propose("proposal", "x", 0.9, "y")), speaker("b", agents.Agree("prposal", 0.9, "y")), speaker("c")))},
		{"a proposal by the id of another's", `"a-1"`, `belongs to another proposal, by "a"`, inGo(`agents.Propose("a-1", …) by b`, solved(speaker("a", agents.Propose("a-1", "x", 0.9, "y")), speaker("b", agents.Propose("a-1", "z", 0.9, "y"))))},
		{"a reactor that returns nil", `agents: a`, `Emit() yields none`, inGo(`agents.Func(… return nil)`, solved(&agents.Agent{ID: "a", Reactor: agents.Func(func(context.Context, *agents.Turn) iter.Seq2[signals.Any, error] { return nil })}))},
		{"a reactor that panics", `agents: a panicked`, `boom`, inGo(`agents.Func(… panic("boom"))`, solved(&agents.Agent{ID: "a", Reactor: agents.Func(func(context.Context, *agents.Turn) iter.Seq2[signals.Any, error] { panic("boom") })}))},
	}},
	{"Tools in Go", []mistake{
		{"a function of a text", `Func "f"`, `a struct or a map`, inGo(`tools.Func("f", "", h, func(ctx, s string) …)`, func(*testing.T) error {
			tools.Func("f", "", tools.Hints{}, func(context.Context, string) (string, error) { return "", nil })
			return nil
		})},
		{"a function of a function", `Func "f"`, `has no JSON schema`, inGo(`tools.Func("f", "", h, func(ctx, in struct{ F func() }) …)`, func(*testing.T) error {
			tools.Func("f", "", tools.Hints{}, func(context.Context, struct{ F func() }) (string, error) { return "", nil })
			return nil
		})},
		{"a rule that names nothing", `rule.tools = "restrat"`, `did you mean "restart"`, inGo(`tools.Rule{Tools: "restrat", Policy: tools.Ask}`, setOf(func(s *tools.Set) { s.May = append(s.May, tools.Rule{Tools: "restrat", Policy: tools.Ask}) }))},
		{"a rule that is none", `rule.tools = "*"`, `server/name`, inGo(`tools.Rule{Tools: "*"}`, setOf(func(s *tools.Set) { s.May = append(s.May, tools.Rule{Tools: "*"}) }))},
		{"two tools with one name", `tool.name = "restart"`, `taken`, inGo(`tools.Of(restart, restart)`, setOf(func(s *tools.Set) { s.From = append(s.From, s.From[0]) }))},
		{"a tool without a function", `restart`, `tool.call`, inGo(`tools.Tool{Spec: spec}`, setOf(func(s *tools.Set) { s.From = []tools.Source{tools.Tool{Spec: s.From[0].(tools.Tool).Spec}} }))},
		{"a negative limit", `tools.most = "-1"`, `at least 0`, inGo(`tools.Set{Most: -1}`, setOf(func(s *tools.Set) { s.Most = -1 }))},
		{"a tool that panics", `restart panicked`, `boom`, inGo(`tools.Func("restart", … panic("boom"))`, func(t *testing.T) error {
			return errors.New(resultOf(t, tools.Func("restart", "", tools.Hints{}, func(context.Context, struct{}) (string, error) { panic("boom") }), "restart"))
		})},
	}},
}

// posted is the answer of a server's API to a request.
func posted(path, body string) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		link, end := demoServed(t, t.TempDir())
		defer end()
		base, token, _ := strings.Cut(link, "/#token=")
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close() //nolint:errcheck // it is only read
		text, err := io.ReadAll(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("POST %s %s\n%s %s", path, body, got.Status, text)
	}
}

// toolTeam is a team with a server and a rule.
func toolTeam(server, rule string) string {
	return "name: t\nmodels:\n  main: {provider: ollama, name: qwen3, baseURL: http://127.0.0.1:1}\nservers:\n  rb: " + server + "\nagents:\n  - {id: a, role: r, model: main, tools: {" + rule + "}}\n  - {id: b, role: r, model: main}\n"
}

// withKey is the answer to a command with a key of OpenAI.
func withKey(args string) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		t.Setenv("OPENAI_API_KEY", modelstest.Key)
		return command(t, args)
	}
}

func newBus(t *testing.T) *bus.Bus {
	t.Helper()
	b, err := bus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// publishedBy is the error of publishing a signal by an agent.
func publishedBy(b *bus.Bus, s signals.Any) error {
	p, err := b.Agent("a", bus.Permissions{})
	if err != nil {
		return err
	}
	_, err = p.Publish(context.Background(), s)
	return err
}

// setOf is the error of a set with one tool, restart, that is changed.
func setOf(change func(*tools.Set)) func(*testing.T) error {
	return func(*testing.T) error {
		s := tools.Of(tools.Func("restart", "Restarts.", tools.Hints{}, func(context.Context, struct{}) (string, error) { return "", nil }))
		change(s)
		return s.Validate()
	}
}

// resultOf is what a model gets that calls a tool by a name.
func resultOf(t *testing.T, tool tools.Tool, name string) (text string) {
	t.Helper()
	server := modelstest.NewServer(modelstest.OpenAI, func(_ int, r *models.Request) modelstest.Reply {
		if last := r.Messages[len(r.Messages)-1]; len(last.Results) > 0 {
			text = last.Results[0].Text
			return modelstest.Reply{Text: `{"say":[{"type":"pass","reason":"done"}]}`}
		}
		return modelstest.Reply{Calls: []models.Call{{ID: "c", Name: name, Args: []byte("{}")}}}
	})
	defer server.Close()
	m, err := openai.New(openai.Options{Model: modelstest.Name, BaseURL: server.URL, Key: modelstest.Key})
	if err != nil {
		t.Fatal(err)
	}
	if err := solved(thinker.Thinker{ID: "a", Model: m, Tools: tools.Of(tool)}.Agent())(t); text == "" {
		return err.Error()
	}
	return text
}
