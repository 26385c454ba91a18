package main

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/memory/sqlite"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/pglite"
	"github.com/swarmbus/swarmbus/internal/runs"
)

// restarts is the model of a team that sees one half of what explains a failure on one day,
// and the other on the next. Its planner needs both.
func restarts(seen *atomic.Pointer[string]) func(int, *models.Request) modelstest.Reply {
	return func(_ int, r *models.Request) modelstest.Reply {
		who, _, _ := strings.Cut(strings.TrimPrefix(r.System, "You are "), ",")
		state, say := "", `{"type":"pass","reason":"nothing new"}`
		for _, m := range r.Messages {
			state += m.Text
		}
		switch today := *seen.Load(); {
		case strings.Contains(state, `"P1"`) && !strings.Contains(state, `"yours"`):
			say = `{"type":"vote","proposal":"P1","reasons":"fine","stance":"agree","confidence":0.9}`
		case who != "planner" && !strings.Contains(state, today):
			say = `{"type":"discovery","finding":"` + today + `","evidence":"the records of ` + who + `","relevance":0.9,"confidence":0.9}`
		case who == "planner" && strings.Contains(state, "restarts at 02:00") && strings.Contains(state, "run at 02:00") && !strings.Contains(state, `"P1"`):
			say = `{"type":"proposal","content":"move the payments","reasons":"they collide","confidence":0.9},{"type":"vote","proposal":"new","reasons":"mine","stance":"agree","confidence":0.9}`
		}
		return modelstest.Reply{Text: `{"say":[` + say + `]}`, Usage: models.Usage{Input: 500, Output: 40}}
	}
}

// separately runs the program in a process of its own.
func separately(t *testing.T, dir string, args ...string) (status int, out string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Args, cmd.Dir = append([]string{"swarmbus"}, args...), dir
	both, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(both)
}

// TestATeamWithAMemoryRemembersInAnotherProcess has a team that cannot solve its task on either
// day alone. The cassette of the second day needs neither the model nor the memory.
func TestATeamWithAMemoryRemembersInAnotherProcess(t *testing.T) {
	seen := new(atomic.Pointer[string])
	server := modelstest.NewServer(modelstest.OpenAI, restarts(seen))
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	dir := t.TempDir()
	for name, memory := range map[string]string{"with.yaml": "memory: {store: facts.db}\n", "without.yaml": ""} {
		team := memory + `models: {main: {provider: openai, name: ` + modelstest.Name + `, baseURL: "` + server.URL + `"}}
agents:
  - {id: logs, group: a, canEmit: [discovery, vote]}
  - {id: charts, group: b, canEmit: [discovery, vote]}
  - {id: planner, canEmit: [proposal, vote], tools: {` + map[bool]string{true: "recall: allow"}[memory != ""] + `}}
`
		team = strings.Replace(team, ", tools: {}", "", 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(team), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	solve := func(today, team string, more ...string) (int, string) {
		seen.Store(&today)
		return separately(t, dir, append([]string{"solve", nightTask, "--team", team}, more...)...)
	}
	if status, out := solve(monday, "with.yaml"); status != cli.ExitNoConsensus {
		t.Errorf("on Monday: status %d: %s", status, out)
	}
	if status, out := solve(tuesday, "without.yaml"); status != cli.ExitNoConsensus {
		t.Errorf("on Tuesday, without a memory: status %d: %s", status, out)
	}
	status, recorded := solve(tuesday, "with.yaml", "--record", "tape", "--journal", filepath.Join(dir, "run.journal"), "--json")
	if status != cli.ExitDecided || !strings.Contains(recorded, "move the payments") || !strings.Contains(recorded, monday) {
		t.Fatalf("on Tuesday: status %d: %s", status, recorded)
	}
	if err := os.Remove(filepath.Join(dir, "facts.db")); err != nil {
		t.Fatal(err)
	}
	before := len(server.Requests())
	status, played := separately(t, dir, "solve", "--cassette", "tape", "--json")
	if status != cli.ExitDecided || !strings.Contains(played, "move the payments") || len(server.Requests()) != before {
		t.Errorf("the cassette: status %d: %s", status, played)
	}
	if _, err := os.Stat(filepath.Join(dir, "facts.db")); err == nil {
		t.Error("the cassette opened the memory")
	}
	for _, more := range [][]string{nil, {"--journal", filepath.Join(dir, "again.journal")}} {
		args := append([]string{"solve", "--team", "with.yaml", "--cassette", "tape", "--json"}, more...)
		if status, played := separately(t, dir, args...); status != cli.ExitDecided || !strings.Contains(played, "move the payments") {
			t.Errorf("the cassette with its team and %q: status %d: %s", more, status, played)
		}
		if _, err := os.Stat(filepath.Join(dir, "facts.db")); err == nil {
			t.Errorf("the cassette with its team and %q opened the memory", more)
		}
	}
}

func TestAMemoryThatCannotBeOpenedEndsTheSolve(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	t.Setenv("NO_SUCH_MEMORY", "")
	for store, want := range map[string]string{"NO_SUCH_MEMORY": "the variable NO_SUCH_MEMORY is not set", "no/such/dir/facts.db": "no/such/dir/facts.db"} {
		file := filepath.Join(t.TempDir(), "team.yaml")
		if err := os.WriteFile(file, []byte("memory: {store: "+store+"}\nmodels: {main: {provider: openai, name: m}}\nagents: [{id: a}]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, _, errs := swarmbusRun(t, "solve", "x", "--team", file); status != cli.ExitError || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d: %s", store, status, errs)
		}
	}
}

// A recalling is a team with a memory, in a directory of its own, and the server of its models.
type recalling struct {
	server *httptest.Server
	seen   atomic.Pointer[string] // what there is to see on the day
	mu     sync.Mutex             // protects the field below
	asked  []string               // models that were asked for vectors
}

const nightTask = "The payments fail at night. When does the database restart, and when should the payments run?"

const monday, tuesday = "The database restarts at 02:00.", "The payments run at 02:00."

// newRecalling writes team.yaml into a directory. The server makes vectors that all point the
// same way, but for texts about cats.
func newRecalling(t *testing.T, dir, memory, more string) *recalling {
	t.Helper()
	r := &recalling{}
	chat := modelstest.NewServer(modelstest.OpenAI, restarts(&r.seen))
	t.Cleanup(chat.Close)
	to, err := url.Parse(chat.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasSuffix(q.URL.Path, "/embeddings") {
			r.embed(w, q)
			return
		}
		q.URL.Path = strings.TrimPrefix(q.URL.Path, to.Path)
		proxy.ServeHTTP(w, q)
	}))
	t.Cleanup(r.server.Close)
	r.writeTeam(t, dir, memory, more)
	return r
}

func (r *recalling) writeTeam(t *testing.T, dir, memory, more string) {
	t.Helper()
	team := "memory: " + memory + "\nmodels:\n  main: {provider: openai, name: " + modelstest.Name + `, baseURL: "` + r.server.URL + `"}` + "\n" + strings.ReplaceAll(more, "HERE", r.server.URL) + `
agents:
  - {id: logs, model: main, group: a, canEmit: [discovery, vote]}
  - {id: charts, model: main, group: b, canEmit: [discovery, vote]}
  - {id: planner, model: main, canEmit: [proposal, vote], tools: {recall: allow}}
`
	if err := os.WriteFile(filepath.Join(dir, "team.yaml"), []byte(team), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (r *recalling) embed(w http.ResponseWriter, q *http.Request) {
	var asked struct {
		Model string
		Input []string
	}
	if err := json.NewDecoder(q.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.asked = append(r.asked, asked.Model)
	r.mu.Unlock()
	var data []map[string]any
	for i, text := range asked.Input {
		v := []float32{1, 0.1}
		if strings.Contains(text, "cat") {
			v = []float32{0.1, 1}
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": v})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": asked.Model, "data": data, "usage": map[string]int{"prompt_tokens": 3, "total_tokens": 3}})
}

// solve runs the team on a day.
func (r *recalling) solve(t *testing.T, dir, today string, more ...string) (int, string) {
	t.Helper()
	r.seen.Store(&today)
	return separately(t, dir, append([]string{"solve", nightTask, "--team", "team.yaml"}, more...)...)
}

// TestATeamRemembersByTheVectorsOfAModel changes the model of the vectors between two days.
func TestATeamRemembersByTheVectorsOfAModel(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	dir := t.TempDir()
	const first = "  vectors: {provider: openai, name: vectors-1, baseURL: \"HERE\"}\n"
	r := newRecalling(t, dir, "{store: facts.db, embeddings: vectors}", first)
	if status, out := r.solve(t, dir, monday); status != cli.ExitNoConsensus {
		t.Errorf("on Monday: status %d: %s", status, out)
	}
	r.writeTeam(t, dir, "{store: facts.db, embeddings: vectors}", strings.ReplaceAll(first, "vectors-1", "vectors-2"))
	status, out := r.solve(t, dir, tuesday, "--json")
	if status != cli.ExitDecided || !strings.Contains(out, "move the payments") || !strings.Contains(out, "memory: made vectors of 1 fact, 0 left") {
		t.Errorf("on Tuesday: status %d: %s", status, out)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.asked) == 0 || r.asked[0] != "vectors-1" || r.asked[len(r.asked)-1] != "vectors-2" {
		t.Errorf("vectors were made by %v", r.asked)
	}
}

// TestATeamRemembersInPostgres names the variable with the URL of a database.
func TestATeamRemembersInPostgres(t *testing.T) {
	t.Setenv("FACTS_URL", pglite.Serve(t)+pglite.One)
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	dir := t.TempDir()
	r := newRecalling(t, dir, "{store: FACTS_URL}", "")
	if status, out := r.solve(t, dir, monday); status != cli.ExitNoConsensus {
		t.Errorf("on Monday: status %d: %s", status, out)
	}
	if status, out := r.solve(t, dir, tuesday, "--json"); status != cli.ExitDecided || !strings.Contains(out, "move the payments") {
		t.Errorf("on Tuesday: status %d: %s", status, out)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 1 {
		t.Errorf("it left %v, %v", left, err)
	}
}

// TestASolveWithAMemoryThatIsKilledRemembersEachFactOnce kills a solve whenever its run has
// grown by a bit, until it decides.
func TestASolveWithAMemoryThatIsKilledRemembersEachFactOnce(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	dir := t.TempDir()
	facts := filepath.Join(dir, "facts.db")
	r := newRecalling(t, dir, "{store: "+facts+"}", "")
	if status, out := r.solve(t, dir, monday); status != cli.ExitNoConsensus {
		t.Fatalf("on Monday: status %d: %s", status, out)
	}
	today := tuesday
	r.seen.Store(&today)
	p, random := place{dir, filepath.Join(dir, "run"+runs.Suffix)}, rand.New(rand.NewPCG(5, uint64(os.Getpid())))
	begun := []string{"solve", nightTask, "--team", filepath.Join(dir, "team.yaml"), "--journal", p.run}
	args, killed := begun, 0
	for lives := 0; ; lives++ {
		step := int64(math.MaxInt64)
		if killed < *kills && lives < 100 {
			step = int64(1 + random.IntN(2000))
		}
		status, out := p.life(t, step, args...)
		if args = []string{"solve", "--resume", p.run}; status < 0 {
			killed++
			if !p.hasTerms() {
				_ = os.Remove(p.run)
				args = begun
			}
			continue
		}
		if status != cli.ExitDecided || !strings.Contains(out, "move the payments") {
			t.Fatalf("after %d kills: status %d: %s", killed, status, out)
		}
		break
	}
	store, err := sqlite.Open(t.Context(), facts)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, source := range []string{"logs", "charts"} {
		all, err := store.Linked(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]int{}
		for _, f := range all {
			for _, s := range f.Said {
				if s.Source == source {
					said[f.Content]++
				}
			}
		}
		if diff := cmp.Diff(map[string]int{monday: 1, tuesday: 1}, said); diff != "" {
			t.Errorf("%s after %d kills (-want +got):\n%s", source, killed, diff)
		}
	}
	t.Logf("%d kills", killed)
}
