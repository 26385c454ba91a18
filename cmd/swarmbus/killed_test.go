package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/swarm/cassette"
)

var kills = flag.Int("kills", 10, "how often solves are killed")

// accountOf returns the account of a run, from its journal.
func accountOf(t *testing.T, path string) limits.Account {
	t.Helper()
	view, err := journal.NewView(path)
	if err != nil {
		t.Fatal(err)
	}
	b := limits.NewBudget(limits.Spend{})
	for change, err := range cassette.Booked[limits.Change](view) {
		if err != nil {
			t.Fatal(err)
		}
		b.Book(change)
	}
	return b.Account()
}

var inAll = regexp.MustCompile(`spent  in all +(\d+) calls, (\d+) tokens in \(\d+ cached\) and (\d+) out`)

// spentInAll is what a transcript says.
func spentInAll(t *testing.T, out string) (calls, tokens int) {
	t.Helper()
	m := inAll.FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("it does not say what was spent in all: %s", out)
	}
	var n [3]int
	for i := range n {
		var err error
		if n[i], err = strconv.Atoi(m[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return n[0], n[1] + n[2]
}

// TestKillsOfASolveWithABudgetBookLittleMoreThanTheServerCounted has calls of 700 tokens
// that may take some ten times as many, in solves that are killed up to 20 times each.
func TestKillsOfASolveWithABudgetBookLittleMoreThanTheServerCounted(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	counted, all := 0, 0
	for left := *kills; left > 0; left -= 20 {
		k := &killer{
			answer: takesRounds(100), random: rand.New(rand.NewPCG(2, uint64(left))), served: map[string][]int{},
			usage: &models.Usage{Input: 650, Output: 50}, lives: 10,
		}
		server := modelstest.NewServer(modelstest.OpenAI, k.reply)
		account := k.killedAndResumed(t, server, min(left, 20))
		counted, all = counted+server.Spent().Tokens(), all+account.Spent.Tokens
		if used := account.Used().Tokens; used > server.Spent().Tokens() {
			t.Errorf("%d tokens are used, and the server counted %d", used, server.Spent().Tokens())
		}
		server.Close()
	}
	if t.Logf("%d kills: the server counted %d tokens, %d are booked", *kills, counted, all); all > 13*counted/10 {
		t.Errorf("%d tokens are booked, and the server counted %d", all, counted)
	}
}

// killedAndResumed kills a solve that often, lets it decide, settles it, and returns the
// account before that.
func (k *killer) killedAndResumed(t *testing.T, server *modelstest.Server, kills int) limits.Account {
	t.Helper()
	path := filepath.Join(t.TempDir(), "killed"+runs.Suffix)
	killed, out := k.live(t, "solve", "Which policy?", "--mode", "deliberate", "--model", "openai:"+modelstest.Name, "--base-url", server.URL,
		"--agents", "5", "--rounds", "110", "--journal", path, "--budget", "9000000tokens", "--deadline", "1h")
	for n := 1; n < kills && killed; n++ {
		killed, out = k.live(t, "solve", "--resume", path)
	}
	if !killed {
		t.Fatalf("it ended before it was killed %d times: %s", kills, out)
	}
	k.mu.Lock()
	k.left = 0
	k.mu.Unlock()
	status, out, errs := swarmbusRun(t, "solve", "--resume", path)
	account := accountOf(t, path)
	if status != cli.ExitDecided || !strings.Contains(errs, fmt.Sprintf("budget: %v spent; %v open", account.Used(), account.Open)) {
		t.Fatalf("status %d: %s%s", status, out, errs)
	}
	// An answer that was counted and not yet recorded when the solve was killed is not in it.
	calls, tokens := spentInAll(t, out)
	if recorded := answersIn(t, path); calls != recorded.Calls || tokens != recorded.InputTokens+recorded.OutputTokens || tokens > account.Used().Tokens {
		t.Errorf("%d calls and %d tokens were spent in all, recorded are %+v, used %v", calls, tokens, recorded, account.Used())
	}
	if status, _, errs := swarmbusRun(t, "solve", "--resume", path, "--settle"); status != cli.ExitDecided || !strings.Contains(errs, fmt.Sprintf("budget: %v spent\n", account.Used())) {
		t.Errorf("settled: status %d: %s", status, errs)
	}
	if settled := accountOf(t, path); settled.Open != (limits.Spend{}) || settled.Used() != account.Used() {
		t.Errorf("settled: %+v, before %+v", settled, account)
	}
	return account
}

// answersIn is what the answers in a journal took.
func answersIn(t *testing.T, path string) (all agents.Cost) {
	t.Helper()
	view, err := journal.NewView(path)
	if err != nil {
		t.Fatal(err)
	}
	by, err := cassette.Spent(view)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range by {
		all = all.Plus(s)
	}
	return all
}
