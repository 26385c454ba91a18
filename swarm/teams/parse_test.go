package teams_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/teams"
)

// small is a team that each test changes in one place.
const small = `models:
  main: {provider: openai, name: gpt, baseURL: "http://127.0.0.1:1/v1"}
  other:
    provider: ollama
    name: qwen3
agents:
  - id: planner
    role: You plan.
    model: main
  - id: critic
    model: other
    personality: {caution: 0.9}
rounds: 4
`

func TestErrorsSayWhereAndWhatWasMeant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, want string }{
		{"rounds: 4", "ronds: 4", `team.yaml:13:1: ronds: there is no such key; did you mean "rounds"?`},
		{"    role:", "    rolle:", `team.yaml:8:5: agents[0].rolle: there is no such key; did you mean "role"?`},
		{"name: gpt", "nam: gpt", `team.yaml:2:28: models.main.nam: there is no such key; did you mean "name"?`},
		{"rounds: 4", "qqqqqqqqqq: 4", `team.yaml:13:1: qqqqqqqqqq: there is no such key` + "\n"},
		{"model: main", "model: mian", `team.yaml:9:5: agents[0].model: no model is called "mian"; did you mean "main"?`},
		{"    model: main\n", "", `team.yaml:7:5: agents[0].model: is required, since the team has 2 models`},
		{"openai", "opnai", `team.yaml:2:10: models.main.provider: "opnai" is not known; did you mean "openai"?`},
		{"rounds: 4", "strategy: bayesan", `team.yaml:13:1: strategy: "bayesan" is not known; did you mean "bayesian"?`},
		{"rounds: 4", "conflicts: vote", `team.yaml:13:1: conflicts: "vote" is not known; want one of ["debate" "majority" "escalate"]`},
		{"    role:", "    canEmit: [vote, conflict]\n    role:", `team.yaml:8:21: agents[0].canEmit[1]: "conflict" is not known`},
		{"    role:", "    listens: [propsal]\n    role:", `agents[0].listens[0]: "propsal" is not known; did you mean "proposal"?`},
		{"id: critic", "id: planner", `team.yaml:10:5: agents[1].id: "planner" is taken`},
		{"id: critic", "id: \"\"", `team.yaml:10:5: agents[1].id: required`},
		{"caution: 0.9", "caution: 1.9", `team.yaml:12:5: agents[1].personality: `},
		{"rounds: 4", "rounds: many", `team.yaml:13:9: rounds: not a whole number`},
		{"rounds: 4", "rounds: 0", `team.yaml:13:1: rounds: is zero or empty: leave it out for the default`},
		{"rounds: 4", "rounds:", `rounds: is zero or empty`},
		{"rounds: 4", "rounds: -1", `team.yaml:13:1: rounds: -1 is not positive`},
		{"rounds: 4", "journal: ''", `journal: is zero or empty`},
		{"    role:", "    canEmit: []\n    role:", `agents[0].canEmit: is zero or empty`},
		{"rounds: 4", "deadline: soon", `"soon" is not a duration such as 90s or 10m`},
		{"rounds: 4", "deadline: -3s", `deadline: -3s is not positive`},
		{"rounds: 4", "budget: 5", `budget: "5" is not an amount such as 0.50usd or 20000tokens`},
		{"name: gpt,", "name: gpt, api: respnses,", `models.main.api: "respnses" is not known; did you mean "responses"?`},
		{"rounds: 4", "budgetPerDay: 5", `budgetPerDay: "5" is not an amount such as 0.50usd or 20000tokens`},
		{"model: main\n", "model: main\n    budget: 5%\n", `agents[0].budget: "5%" is not an amount such as 0.50usd or 20000tokens`},
		{"model: main\n", "model: main\n    budget: 5usd\n", `models.main.price: is required, since the budget is in money`},
		{"rounds: 4", "budget: 5usd", `team.yaml:2:3: models.main.price: is required, since the budget is in money`},
		{"rounds: 4", "threshold: 1.5", `threshold: 1.5 is not above 0 and at most 1`},
		{"rounds: 4", "advocate: verifer", `"verifer" is no agent that may challenge`},
		{"rounds: 4", "quorum: 3", `quorum: 3 is not from 1 to 2, the number of agents`},
		{"rounds: 4", "rounds: 4\nrounds: 5", `team.yaml:14:1: `},
		{"rounds: 4", "rounds: [4", `team.yaml:13:`},
		{"rounds: 4", "deadline: 5", `team.yaml:13:11: deadline: "5" is not a duration such as 90s or 10m`},
		{"rounds: 4", "rounds:\n\t- 4", `team.yaml:14:1: a tab: indent with spaces, as YAML asks`},
		{"rounds: 4", "---\nrounds: 4", `team.yaml: not one YAML document with keys and their values`},
		{"rounds: 4", "name: &x y\ncontext: *x", `anchors, aliases, merge keys and tags are not supported`},
		{"rounds: 4", "<<: {rounds: 4}", `anchors, aliases, merge keys and tags are not supported`},
		{"rounds: 4", "rounds: !!int 4", `anchors, aliases, merge keys and tags are not supported`},
		{"127.0.0.1:1/v1", "", `models.main.baseURL: "http://" is not a URL such as http://127.0.0.1:8000/v1`},
		{"You plan.", "You know ${HOME}.", `team.yaml:8:5: agents[0].role: ${HOME}: variables are only replaced in base URLs, directories and the file of a memory`},
		{"name: gpt", "name: '${MODEL}'", `models.main.name: ${MODEL}: variables are only replaced`},
		{"127.0.0.1:1/v1", "${HOST/v1", `models.main.baseURL: ${HOST/v1 is not ${VAR} with the name of an environment variable`},
		{"name: gpt", "name: gpt, key: my-key", `models.main.key: is not the name of an environment variable in capitals`},
		{"name: gpt", "name: gpt, price: {input: -1, output: 1}", `models.main.price: `},
		{"rounds: 4", "servers: {files: {comand: [x]}}", `team.yaml:13:19: servers.files.comand: there is no such key; did you mean "command"?`},
		{"rounds: 4", "servers: {files: {rate: 2}}", `servers.files: want either a command or a url`},
		{"rounds: 4", "servers: {files: {command: [x], url: 'http://x'}}", `servers.files: want either a command or a url`},
		{"rounds: 4", "servers: {'a b': {command: [x]}}", `"a b" is not 1 to 32 letters, digits, _ and -`},
		{"rounds: 4", "servers: {files: {command: ['${X}']}}", `servers.files.command[0]: ${X}: variables are only replaced`},
		{"rounds: 4", "servers: {files: {command: [x], env: [a]}}", `servers.files.env[0]: is not the name of an environment variable`},
		{"rounds: 4", "servers: {web: {url: 'http://x', headers: {Authorization: 'Basic x'}}}", `servers.web.headers.Authorization: is not the name`},
		{"rounds: 4", "servers: {web: {url: 'http://x', dir: y}}", `servers.web: only a server with a command has dir and env`},
		{"rounds: 4", "servers: {web: {url: 'ftp://x'}}", `servers.web.url: "ftp://x" is not a URL`},
		{"role: You plan.", "tools: {recall: allow}", `agents[0].tools.recall: the team has no memory to recall from: it needs the key memory`},
		{"rounds: 4", "memory: {bytes: 5}", `memory.store: is required`},
		{"rounds: 4", "memory: {stor: x}", `team.yaml:13:10: memory.stor: there is no such key; did you mean "store"?`},
		{"rounds: 4", "memory: {store: 'postgres://host/db'}", `memory.store: is a URL: name the environment variable that has it`},
		{"rounds: 4", "memory: {store: x, bytes: -5}", `memory.bytes: -5 is not from 1 to 1048576`},
		{"rounds: 4", "memory: {store: x, embeddings: man}", `memory.embeddings: no model is called "man"; did you mean "main"?`},
		{"rounds: 4", "memory: {store: x, embeddings: main}", `agents[0].model: "main" makes the vectors of the memory`},
		{"    role:", "    tools: {fils/read: allow}\n    role:", `team.yaml:8:13: agents[0].tools.fils/read: no server is called "fils"`},
		{"    role:", "    tools: {look: alow}\n    role:", `agents[0].tools.look: "alow" is not known; did you mean "allow"?`},
		{"    role:", "    tools: {'a b': allow}\n    role:", `"a b" is neither the name of a function, nor server/tool, nor server/*`},
	} {
		text := strings.Replace(small, c.from, c.to, 1)
		if text == small {
			t.Fatalf("%q is not in the file", c.from)
		}
		_, err := teams.Parse("team.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error()+"\n", c.want) {
			t.Errorf("%q:\ngot  %v\nwant %s", c.to, err, c.want)
		}
		var fault *teams.Error
		if err != nil && !errors.As(err, &fault) {
			t.Errorf("%q: got a %T", c.to, err)
		}
	}
	if _, err := teams.Parse("team.yaml", []byte(small)); err != nil {
		t.Errorf("unchanged: %v", err)
	}
	if _, err := teams.Parse("team.yaml", []byte("\ufeff"+small)); err != nil {
		t.Errorf("with a byte order mark: %v", err)
	}
}

func TestAllErrorsAreReportedInTheOrderOfTheFile(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer("model: main", "model: a", "model: other", "model: b", "rounds: 4", "threshold: 2").Replace(small)
	_, err := teams.Parse("t", []byte(text))
	var at []string
	for line := range strings.Lines(err.Error()) {
		at = append(at, strings.Join(strings.SplitN(line, ":", 4)[:2], ":"))
	}
	if got := strings.Join(at, " "); got != "t:9 t:11 t:13" {
		t.Errorf("got %s: %v", got, err)
	}
}

func TestSecretsAreRefusedAndNotShown(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{
		"sk-proj-abcdefghijklmnop", "sk-ant-api03-0123456789abcdef", "ghp_0123456789abcdefghijABCD", "github_pat_0123456789abcdefghij",
		"xoxb-0123456789-abc", "AKIAIOSFODNN7EXAMPLE", "AIzaSyA0123456789abcdefghijklmnopqrstu", "glpat-0123456789abcdef", "hf_abcdefghijklmnopqrst",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x", "-----BEGIN RSA PRIVATE KEY", "Bearer 0123456789abcdef01", "http://me:hunter2@127.0.0.1",
		"d41d8cd98f00b204e9800998ecf8427e", "q8XzT2mN5vB7kL0pR3wY",
	} {
		for _, c := range []struct{ from, to string }{
			{"rounds: 4", "context: 'use " + secret + " there'"},
			{"rounds: 4", "rounds: 4 # " + secret},
			{"You plan.", secret},
			{"rounds: 4", "{" + secret},
		} {
			_, err := teams.Parse("t", []byte(strings.Replace(small, c.from, c.to, 1)))
			if err == nil || !strings.Contains(err.Error(), "looks like a key or a secret") || strings.Contains(err.Error(), secret) {
				t.Errorf("%q: got %v", c.to, err)
			}
		}
	}
}

// TestWordsThatAreNoSecretsAreAccepted has names that real files use.
func TestWordsThatAreNoSecretsAreAccepted(t *testing.T) {
	t.Parallel()
	for _, word := range []string{
		"Qwen3-Coder-480B-A35B-Instruct-Turbo", "accounts/fireworks/models/llama-v3p1-405b-instruct", "gpt-4.1-mini-2025-04-14", "claude-sonnet-4-5-20250929",
		"@modelcontextprotocol/server-everything", "MY_VERY_LONG_VARIABLE_WITH_THE_KEY_2", "registry.example/tool@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"risk-assessment-and-mitigation", "task-oriented-programming-of-agents", "InternationalizationAndLocalization", "TestATeamFileSaysWhatFlagsSay2231607939", "http://127.0.0.1:11434/v1", "me@example.com",
	} {
		if _, err := teams.Parse("t", []byte(small+"context: '"+word+"'\n")); err != nil {
			t.Errorf("%s: %v", word, err)
		}
	}
}

func TestParserRefusesInputThatTheSchemaRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to string }{
		{"rounds: 4", "ronds: 4"},
		{"openai", "opnai"},
		{"rounds: 4", "rounds: many"},
		{"rounds: 4", "strategy: best"},
		{"rounds: 4", "deadline: soon"},
		{"rounds: 4", "budget: 5"},
		{"name: gpt", "name: gpt, key: my-key"},
		{"    role:", "    canEmit: [conflict]\n    role:"},
		{"  - id: critic\n    model: other\n", "  - model: other\n"},
	} {
		text := strings.Replace(small, c.from, c.to, 1)
		if conforms(t, text) == nil {
			t.Errorf("%q: the schema accepts it", c.to)
		}
		if _, err := teams.Parse("t", []byte(text)); err == nil {
			t.Errorf("%q: the parser accepts it", c.to)
		}
	}
	if err := conforms(t, small); err != nil {
		t.Errorf("unchanged: %v", err)
	}
}

func TestLoadReadsANameOrAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "my.yaml")
	if err := os.WriteFile(file, []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	team, err := teams.Load(file, func(t *teams.Team) { t.Rounds = 9 })
	if err != nil || team.Rounds != 9 || len(team.Agents) != 2 {
		t.Errorf("got %+v, %v", team, err)
	}
	if _, err := teams.Load("reviw"); err == nil || !strings.Contains(err.Error(), `no ready-made team is called "reviw" (there are debug, decision, research, review)`) {
		t.Errorf("got %v", err)
	}
	if _, err := teams.Load(file + ".none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// A file that is no team, such as a model's weights, is not read to its end.
func TestLoadReadsNoMoreThanAFileMayHave(t *testing.T) {
	file := filepath.Join(t.TempDir(), "team.yaml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 256<<20); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := teams.Load(file)
	runtime.ReadMemStats(&after)
	if want := "teams: " + file + " has more than 1048576 bytes"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if read := after.TotalAlloc - before.TotalAlloc; read > 32<<20 {
		t.Errorf("it took %d bytes of memory", read)
	}
}

// FuzzParse checks that a file is a team or an error with its name, and that a team in the
// file's own words is the same.
func FuzzParse(f *testing.F) {
	f.Add(small)
	for _, name := range teams.Names() {
		text, _ := teams.Ready(name)
		f.Add(text)
	}
	for _, text := range []string{"", "a: [", "- x", "agents: {}", "models: []", "agents: [[[]]]", "? x\n: y", "\xff", "agents: &a [*a]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		team, err := teams.Parse("file", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "file:") {
				t.Errorf("%q: got %v", text, err)
			}
			return
		}
		if err := team.Validate(); err != nil {
			t.Errorf("%q: got %v", text, err)
		}
	})
}
