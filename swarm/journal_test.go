package swarm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// journalEnv names the journal for a process that is this test: it decides ten
// tasks more and waits to be killed.
const journalEnv = "SWARMBUS_SWARM_JOURNAL"

func solveUntilKilled(path string) {
	if path == "" {
		return
	}
	j, err := journal.Open(path, nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if err := decideTen(openPanel(j)); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ten")
	time.Sleep(time.Hour)
}

func openPanel(j journal.Store) (*swarm.Swarm, error) {
	return swarm.New(swarm.Options{Agents: panel(), Seed: 7, Clock: swarm.StepClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 0), Journal: j})
}

// decideTen goes on with ten tasks, and tells the outcome of every second.
func decideTen(s *swarm.Swarm, err error) error {
	if err != nil {
		return err
	}
	past, err := s.Results()
	if err != nil {
		return err
	}
	for task := len(past); task < len(past)+10; task++ {
		r, err := s.Solve(context.Background(), signals.Task{Task: fmt.Sprint(task)})
		if err == nil && task%2 == 0 {
			err = s.RecordOutcome(r, truth(task))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func exported(t *testing.T, from journal.Reader) string {
	t.Helper()
	var lines strings.Builder
	if err := journal.Export(t.Context(), &lines, from); err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

// imported returns the file of a journal with these lines and one change.
func imported(t *testing.T, lines, from, to string) (path string) {
	t.Helper()
	changed := strings.Replace(lines, from, to, 1)
	if changed == lines {
		t.Fatalf("the log has no %s", from)
	}
	path = filepath.Join(t.TempDir(), "j")
	if err := journal.Import(path, strings.NewReader(changed)); err != nil {
		t.Fatal(err)
	}
	return path
}

// replayedFile replays the journal in a file.
func replayedFile(t *testing.T, path string) (*replay.Replay, error) {
	t.Helper()
	v, err := journal.NewView(path)
	if err != nil {
		t.Fatal(err)
	}
	return replayed(t, v)
}

func ledgerOf(t *testing.T, l *reliability.Ledger) string {
	t.Helper()
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestASwarmThatIsKilledAgainAndAgainLearnsAndDecidesAsOneThatIsNot(t *testing.T) {
	whole := new(journal.Memory)
	once, err := openPanel(whole)
	for range 4 {
		if err := decideTen(once, err); err != nil {
			t.Fatal(err)
		}
	}
	defer once.Close()
	path := filepath.Join(t.TempDir(), "j")
	for range 4 {
		decideInAnotherProcess(t, path)
	}
	j, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if diff := cmp.Diff(strings.Split(exported(t, whole), "\n"), strings.Split(exported(t, j), "\n")); diff != "" {
		t.Errorf("the logs differ (-once +killed):\n%.2000s", diff)
	}
	again, err := openPanel(j)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got, want := ledgerOf(t, again.Ledger()), ledgerOf(t, once.Ledger()); got != want || again.Ledger().Len() != 40 {
		t.Errorf("%d decisions learned; got\n%.500s\nwant\n%.500s", again.Ledger().Len(), got, want)
	}
}

func decideInAnotherProcess(t *testing.T, path string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), journalEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 4)
	_, err = out.Read(said)
	if err != nil || string(said) != "ten\n" {
		t.Errorf("it said %q, %v", said, err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// replayed replays a journal, and looks at the replay after each signal.
func replayed(t *testing.T, from journal.Reader, looks ...func(*replay.Replay)) (*replay.Replay, error) {
	t.Helper()
	codec, err := runlog.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	codec.Limits.TextBytes = -1
	snapshot, err := from.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	r, err := replay.New(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for s, err := range journal.Signals(from, codec, snapshot.Through) {
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Next(s); err != nil {
			return r, err
		}
		for _, look := range looks {
			look(r)
		}
	}
	return r, nil
}

func journalled(t *testing.T) *journal.Memory {
	t.Helper()
	j := new(journal.Memory)
	s, err := openPanel(j)
	for range 3 {
		if err := decideTen(s, err); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	return j
}

func TestAJournalReplaysToTheSameDecisions(t *testing.T) {
	r, err := replayed(t, journalled(t))
	if err != nil || r.Decisions != 30 || r.Outcomes != 15 || r.Conflicts < 30 {
		t.Errorf("%d decisions, %d outcomes, %d conflicts, %v", r.Decisions, r.Outcomes, r.Conflicts, err)
	}
}

// A forger can compute the hash chain of a changed copy anew. Replaying the copy still
// shows the change.
func TestALogChangedByHandIsFoundAndNamed(t *testing.T) {
	lines := exported(t, journalled(t))
	for what, change := range map[string][2]string{
		"decision": {`"outcome":"reached","choice":"a"`, `"outcome":"reached","choice":"b"`},
		"support":  {`"support":`, `"support":0.1,"was":`},
		"announce": {`"decision":"do `, `"decision":"don't `},
		"vote":     {`"stance":"agree"`, `"stance":"disagree"`},
		"conflict": {`"signalA":"`, `"signalA":"x`},
		"stop":     {`"stop":"consensus"`, `"stop":"budget"`},
		"end":      {`"stop":"consensus"`, `"stop":"deadlock"`},
		"quorum":   {`"quorum":4,"observed"`, `"quorum":100,"observed"`},
		"sureness": {`"decision":"do a","confidence":0.9`, `"decision":"do a","confidence":0.8`},
		"terms":    {`"electorate":["good-0",`, `"electorate":[`},
		"weight":   {`"weights":{"bad-0":1`, `"weights":{"bad-0":0.5`},
	} {
		t.Run(what, func(t *testing.T) {
			path := imported(t, lines, change[0], change[1])
			if _, err := journal.Verify(t.Context(), path); err != nil {
				t.Fatal(err) // the chain was computed anew
			}
			_, err := replayedFile(t, path)
			var d *replay.Difference
			if !errors.As(err, &d) || d.Seq == 0 {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAnEscalationWaitsForItsAnswerAcrossARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	team := func() []*agents.Agent {
		return []*agents.Agent{proposer("p", "a", "do a"), proposer("q", "b", "do b"), voter("v", map[string]signals.Stance{"a": yes}), voter("w", map[string]signals.Stance{"b": yes})}
	}
	open := func() (*journal.File, *swarm.Swarm) {
		j, err := journal.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := swarm.New(swarm.Options{Agents: team(), Seed: 3, Clock: swarm.StepClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 0), Journal: j, Conflicts: settle.ByEscalation, Quorum: 1})
		if err != nil {
			t.Fatal(err)
		}
		return j, s
	}
	shut := func(j *journal.File, s *swarm.Swarm) {
		if err := errors.Join(s.Shutdown(t.Context()), j.Close()); err != nil {
			t.Fatal(err)
		}
	}
	j, s := open()
	r, err := s.Solve(t.Context(), signals.Task{Task: "a or b?"})
	if err != nil || r.Stop != runlog.StopEscalated {
		t.Fatalf("got %v, %v", r.Stop, err)
	}
	shut(j, s)
	j, s = open()
	defer shut(j, s)
	past, err := s.Results()
	if err != nil || len(past) != 1 {
		t.Fatalf("%d logs, %v", len(past), err)
	}
	r, err = s.Resume(t.Context(), past[0].Log, vote("a", yes, 1))
	if err != nil || r.Stop != runlog.StopSettled || r.Answer != "do a" {
		t.Fatalf("got %v %q (%s), %v", r.Stop, r.Answer, r.Detail, err)
	}
	if _, err := replayed(t, j); err != nil {
		t.Error(err)
	}
}

func TestASolveThatCannotBeKeptIsAnError(t *testing.T) {
	j := new(journal.Memory)
	s, err := openPanel(j)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(t.Context(), signals.Task{Task: "1"})
	if !errors.Is(err, journal.ErrClosed) || r.Stop != runlog.StopError {
		t.Errorf("got %v, %v", r.Stop, err)
	}
}

func TestWithoutAJournalNothingIsPutOnRecord(t *testing.T) {
	s, err := openPanel(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var log bytes.Buffer
	for _, said := range ask(t, s, 1).Log {
		log.WriteString(string(said.Kind()) + "\n")
	}
	if strings.Contains(log.String(), "decision:") {
		t.Errorf("got %s", log.String())
	}
}
