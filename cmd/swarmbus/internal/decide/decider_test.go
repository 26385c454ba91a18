package decide

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/votes"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// writeSet writes a set of n tasks on which three are right in nine of ten, in
// turns, and four in six of ten, together.
func writeSet(t *testing.T, n int) (dir string) {
	t.Helper()
	var cast, truth strings.Builder
	cast.WriteString("task,voter,label\n")
	truth.WriteString("task,label\n")
	for i := range n {
		right := i * 7 % 3 % 2
		fmt.Fprintf(&truth, "t%d,%d\n", i, right)
		for j := range 7 {
			said := right
			if j < 3 && i%10 == j || j >= 3 && i%10 > 5 {
				said = 1 - right
			}
			fmt.Fprintf(&cast, "t%d,v%d,%d\n", i, j, said)
		}
	}
	dir = t.TempDir()
	for name, text := range map[string]string{"votes.csv": cast.String(), "truth.csv": truth.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// scored runs decide and returns its scores by strategy.
func scored(t *testing.T, args ...string) map[string]score {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := cli.Run(t.Context(), New(), append([]string{"--json"}, args...), &stdout, &stderr); got != cli.ExitDecided {
		t.Fatalf("%v: status %d: %s", args, got, stderr.String())
	}
	scores := map[string]score{}
	for line := range strings.Lines(stdout.String()) {
		var s score
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		scores[s.Strategy] = s
	}
	return scores
}

func TestDefaultLearnsFromTaskToTask(t *testing.T) {
	dir := writeSet(t, 100)
	s := scored(t, "--votes", dir, "--strategy", "all", "--resolve")
	weight, known := s["confidence-weighted"], s["default"]
	if *known.Leader < *weight.Leader+0.1 {
		t.Errorf("the default leads right in %.2f of tasks, %.2f by weight", *known.Leader, *weight.Leader)
	}
	if len(s) != 7 || s["learned"].Tasks != 100 {
		t.Errorf("got %d strategies, want seven", len(s))
	}
	untold := scored(t, "--votes", dir, "--strategy", "default,learned,voting")
	for _, name := range []string{"default", "learned"} {
		if *untold[name].Confidence == *s[name].Confidence {
			t.Errorf("%s decides the same whether or not it is told outcomes", name)
		}
	}
	if *untold["voting"].Confidence != *s["voting"].Confidence {
		t.Error("outcomes are told to voting")
	}
	own := scored(t, "--votes", dir, "--own-labels")
	if *own["default"].Confidence == *untold["default"].Confidence {
		t.Error("the labels are taken for the same choices in every task, though they are said not to be")
	}
}

// A task is decided before its outcome is told.
func TestOutcomeIsRecordedAfterItsTask(t *testing.T) {
	dir := writeSet(t, 60)
	before := scored(t, "--votes", dir, "--resolve")
	truth := filepath.Join(dir, "truth.csv")
	text, err := os.ReadFile(truth)
	if err != nil {
		t.Fatal(err)
	}
	last := []byte("t59,1\n") // t59 is the last task: nothing comes after what is told of it
	if !bytes.Contains(text, []byte("t59,")) {
		t.Fatal("no task t59")
	}
	text = append(text[:bytes.LastIndex(text, []byte("t59,"))], last...)
	if err := os.WriteFile(truth, text, 0o600); err != nil {
		t.Fatal(err)
	}
	after := scored(t, "--votes", dir, "--resolve")
	if *before["default"].Confidence != *after["default"].Confidence {
		t.Error("a task's own outcome changes how it is decided")
	}
}

// With the same votes, a swarm that nobody chose a strategy for and decide
// without --strategy come to the same decisions.
func TestDefaultIsTheSwarms(t *testing.T) {
	set, _, err := votes.Read(os.DirFS(writeSet(t, 60)), "set")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := newDecider(byDefault, about(set, true))
	if err != nil {
		t.Fatal(err)
	}
	s := voting(t, set)
	defer s.Close()
	learned := 0
	for i, task := range set.Tasks {
		strategy := ours.strategy()
		theirs, err := s.Solve(t.Context(), signals.Task{Task: fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
		want, got := strategy.Decide(theirs.Decision.Ballots()), theirs.Decision
		if got.Strategy != want.Strategy || got.Support != want.Support || got.Choice != want.Choice {
			t.Fatalf("task %d: the swarm says %v by %s, decide %v by %s", i, got, got.Strategy, want, want.Strategy)
		}
		if got.Strategy == "default" {
			learned++
		}
		if _, err := ours.learn(task.ID, got.Ballots(), task.Truth); err != nil {
			t.Fatal(err)
		}
		if err := s.RecordOutcome(theirs, task.Truth); err != nil {
			t.Fatal(err)
		}
	}
	if learned < 20 {
		t.Errorf("%d decisions by what was learned, want at least 20", learned)
	}
}

// voting is a swarm that votes as the set has it, on two proposals.
func voting(t *testing.T, set *votes.Set) *swarm.Swarm {
	t.Helper()
	said := map[string]string{} // by task number and voter
	for i, task := range set.Tasks {
		for _, v := range task.Votes {
			said[fmt.Sprint(i, v.Voter)] = v.Label
		}
	}
	chair := &agents.Agent{ID: "chair", CanEmit: []signals.Kind{signals.KindProposal}, Listens: []signals.Kind{signals.KindTask}, Reactor: agents.On(
		func(context.Context, *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
			return agents.Emit(
				signals.New(signals.Header{}, signals.Proposal{ProposalID: "0", Content: "zero"}),
				signals.New(signals.Header{}, signals.Proposal{ProposalID: "1", Content: "one"}),
			)
		})}
	team := []*agents.Agent{chair}
	for _, v := range set.Tasks[0].Votes {
		team = append(team, &agents.Agent{ID: v.Voter, CanEmit: []signals.Kind{signals.KindVote}, Listens: []signals.Kind{signals.KindTask}, Reactor: agents.On(
			func(_ context.Context, task *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
				label := said[task.Payload.Task+v.Voter]
				return agents.Emit(signals.New(signals.Header{}, signals.Vote{ProposalID: label, Stance: signals.Agree, Weight: 1}))
			})})
	}
	s, err := swarm.New(swarm.Options{Agents: team})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStrategiesAreChosenByName(t *testing.T) {
	for _, name := range names() {
		d, err := newDecider(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := name
		if name == byDefault {
			want = consensus.Default().Name() // with nothing known
		}
		if got := d.strategy().Name(); got != want {
			t.Errorf("%s is %s", name, got)
		}
	}
	if got, err := choose(nil); err != nil || len(got) != 1 || got[0] != byDefault {
		t.Errorf("nobody chooses: %v, %v", got, err)
	}
}
