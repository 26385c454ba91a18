package natstest_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

var (
	schedules = flag.Int("schedules", 20, "schedules of faults")
	from      = flag.Int64("seed", 1, "seed of the first schedule")
)

// A stage is where a schedule plays: servers, and processes that reach each by a proxy.
type stage struct {
	t       *testing.T
	dir     string
	servers []*natstest.Server
	workers []*worker
	stream  string
	faults  map[string]int
}

type worker struct {
	config  workerConfig
	proxies []*natstest.Proxy
	process *exec.Cmd
}

const (
	processes       = 4
	agentsOfProcess = 5
)

func (s *stage) start(w *worker) {
	s.t.Helper()
	text, err := json.Marshal(w.config)
	if err != nil {
		s.t.Fatal(err)
	}
	w.process = exec.Command(os.Args[0])
	w.process.Env = append(os.Environ(), workerEnv+"="+string(text))
	w.process.Stderr = os.Stderr
	w.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := w.process.Start(); err != nil {
		s.t.Fatal(err)
	}
}

// Kinds of faults: of every schedule, and of TestEachFault.
var (
	faults     = []string{"process killed", "link cut", "link slow", "clock jumps", "server stopped", "server killed", "followers stopped"}
	eachOfThem = append([]string{"leader killed"}, faults...)
)

// fault makes one fault of one of the kinds, and undoes it.
func (s *stage) fault(r *rand.Rand, kinds []string) {
	w, n := s.workers[r.IntN(len(s.workers))], s.servers[r.IntN(len(s.servers))]
	long := time.Duration(50+r.IntN(400)) * time.Millisecond
	kind := kinds[r.IntN(len(kinds))]
	s.faults[kind]++
	if kind == "leader killed" {
		n, kind = leader(s.t, s.servers, s.stream), "server killed"
	}
	switch kind {
	case "process killed":
		_ = w.process.Process.Kill()
		_ = w.process.Wait()
		s.start(w)
	case "link cut":
		for _, p := range w.proxies {
			p.Cut()
		}
		time.Sleep(long)
		for _, p := range w.proxies {
			p.Mend()
		}
	case "link slow":
		for _, p := range w.proxies {
			p.Slow(long / 20)
		}
		time.Sleep(long)
		for _, p := range w.proxies {
			p.Mend()
		}
	case "clock jumps":
		by := time.Duration(r.IntN(7200)-3600) * time.Second
		_ = os.WriteFile(w.config.Control, []byte(by.String()), 0o600)
	case "server stopped":
		n.Signal(syscall.SIGSTOP)
		time.Sleep(2 * long)
		n.Signal(syscall.SIGCONT)
	case "followers stopped":
		led := leader(s.t, s.servers, s.stream)
		others := func(sig syscall.Signal) {
			for _, n := range s.servers {
				if n != led {
					n.Signal(sig)
				}
			}
		}
		others(syscall.SIGSTOP)
		time.Sleep(time.Second + 2*long) // until messages are sent again
		others(syscall.SIGCONT)
	case "server killed": // the leader, one time in as many as there are servers
		n.Kill()
		time.Sleep(long)
		n.StartProcess(s.t)
	}
}

// play plays a schedule of one fault, or of several of the kinds that any may have, and
// returns the ledgers of all processes.
func (s *stage) play(seed int64, replicas int, kinds []string) []entry {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	s.workers, s.stream = nil, fmt.Sprint("faults", seed)
	for i := range processes {
		w := &worker{config: workerConfig{
			Stream: s.stream, Name: fmt.Sprint("w", i), Agents: agentsOfProcess, Replicas: replicas, Seed: seed,
			Ledger: filepath.Join(s.dir, fmt.Sprint(seed, "-ledger", i)), Control: filepath.Join(s.dir, fmt.Sprint(seed, "-control", i)), Result: filepath.Join(s.dir, fmt.Sprint(seed, "-result", i)),
		}}
		var urls []string
		for _, n := range s.servers {
			p := natstest.NewProxy(s.t, strings.TrimPrefix(n.URL(), "nats://"))
			w.proxies, urls = append(w.proxies, p), append(urls, "nats://"+p.Addr())
		}
		w.config.URL = strings.Join(urls, ",")
		if err := os.WriteFile(w.config.Control, []byte("0s"), 0o600); err != nil {
			s.t.Fatal(err)
		}
		s.workers = append(s.workers, w)
		s.start(w)
	}
	time.Sleep(300 * time.Millisecond) // so that there is something to disturb
	several := 3 + r.IntN(4)
	if len(kinds) == 1 {
		several = 1
		s.goOn()
	}
	for range several {
		s.fault(r, kinds)
		time.Sleep(time.Duration(r.IntN(150)) * time.Millisecond)
	}
	if len(kinds) == 1 {
		s.goOn()
	}
	return s.settle(seed)
}

// settle ends the processes, and returns their ledgers.
func (s *stage) settle(seed int64) (all []entry) {
	s.t.Helper()
	for _, w := range s.workers {
		_ = os.Remove(w.config.Control)
	}
	for _, w := range s.workers {
		if err := w.process.Wait(); err != nil {
			s.t.Errorf("seed %d: %s: %v", seed, w.config.Name, err)
		}
		ledger, err := readLedger(w.config.Ledger)
		if err != nil && !os.IsNotExist(err) {
			s.t.Fatal(err)
		}
		all = append(all, ledger...)
	}
	return all
}

// check holds the log that a late process reads against the ledgers.
func (s *stage) check(seed int64, ledgers []entry, replicas int) (acknowledged int) {
	t := s.t
	t.Helper()
	late := join(t, natsbus.Options{URL: natstest.URLs(s.servers), Stream: s.stream, Process: "late", Storage: natsbus.Storage{Replicas: replicas}, Bus: bus.Options{TTL: -1}})
	defer late.Close()
	at := map[string]uint64{}
	for h := range late.Bus().History(bus.Filter{}) {
		id := h.Head().ID.String()
		if at[id] != 0 {
			t.Errorf("seed %d: %s is in the log twice, at %d and %d", seed, id, at[id], h.Head().Seq)
		}
		at[id] = h.Head().Seq
	}
	calls := map[string]entry{}
	for _, e := range ledgers {
		if e.Seq > 0 {
			acknowledged++
			if at[e.ID] != e.Seq {
				t.Errorf("seed %d: %s was acknowledged at %d, the log has it at %d", seed, e.ID, e.Seq, at[e.ID])
			}
		}
		calls[e.ID] = e // the later line has what became of it
	}
	if problem := honest(calls, at); problem != "" {
		t.Errorf("seed %d: %s", seed, problem)
	}
	if problem := linearizable(calls, at); problem != "" {
		t.Errorf("seed %d: %s", seed, problem)
	}
	for id := range at {
		if _, tried := calls[id]; !tried && !strings.HasPrefix(id, "conflict") && !strings.HasPrefix(id, "sig_conflict") {
			t.Errorf("seed %d: nobody published %s", seed, id)
		}
	}
	for _, w := range s.workers {
		var last, alarms uint64
		var hash string
		text, err := os.ReadFile(w.config.Result)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if _, err := fmt.Sscan(string(text), &last, &hash, &alarms); err != nil {
			t.Fatal(err)
		}
		if want := derived(late.Bus(), last); hash != want || alarms > 0 {
			t.Errorf("seed %d: %s derived %s up to %d with %d alarms, a late process %s", seed, w.config.Name, hash, last, alarms, want)
		}
	}
	return acknowledged
}

// honest checks that what was returned with an error is not in the log, unless the error said
// that it may be.
func honest(calls map[string]entry, at map[string]uint64) string {
	for id, e := range calls {
		if e.Problem != "" && !e.Unknown && at[id] != 0 {
			return fmt.Sprintf("%s is in the log at %d, and its publisher was told: %s", id, at[id], e.Problem)
		}
	}
	return ""
}

// linearizable checks that the order of the log is one in which the calls could have
// happened one after the other: who called after another's return comes later.
func linearizable(calls map[string]entry, at map[string]uint64) string {
	const never = int64(1) << 62
	var history []porcupine.Operation
	for id, e := range calls {
		seq := at[id]
		if seq == 0 {
			continue // refused, or lost before it was acknowledged
		}
		op := porcupine.Operation{ClientId: len(history), Input: id, Call: e.Call, Output: seq, Return: e.Return}
		if e.Seq == 0 {
			op.Return = never
		}
		history = append(history, op)
	}
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return cmp.Compare(a.Output.(uint64), b.Output.(uint64)) })
	for i := range history {
		history[i].ClientId, history[i].Output = i, i+1 // its place among those in the log
	}
	log := porcupine.Model{
		Init:              func() any { return 0 },
		Step:              func(state, _, out any) (bool, any) { return out.(int) == state.(int)+1, out },
		Equal:             func(a, b any) bool { return a == b },
		DescribeOperation: func(in, out any) string { return fmt.Sprint(in, " at ", out) },
	}
	if result := porcupine.CheckOperationsTimeout(log, history, time.Minute); result != porcupine.Ok {
		return fmt.Sprintf("the history of %d calls is not linearizable: %s", len(history), result)
	}
	return ""
}

// TestFaults plays seeded schedules of faults: processes and servers are killed, servers
// stop, also all but the leader at once, links are cut and slowed, clocks jump. No acknowledged
// signal is lost or there twice, none is there whose publisher was told that it is not, and all processes have one order and one decision.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 3} {
		t.Run(fmt.Sprintf("servers=%d", n), func(t *testing.T) {
			t.Parallel()
			s := &stage{t: t, dir: t.TempDir(), servers: natstest.Start(t, natstest.Options{Servers: n, Processes: true}), faults: map[string]int{}}
			join(t, natsbus.Options{URL: natstest.URLs(s.servers), Storage: natsbus.Storage{Replicas: n}}).Close()
			acknowledged := 0
			for seed := *from; seed < *from+int64(*schedules+1)/2; seed++ {
				acknowledged += s.check(seed, s.play(seed, n, faults), n)
				if t.Failed() {
					t.Fatalf("stopped at seed %d", seed)
				}
			}
			t.Logf("%d schedules, %d signals acknowledged, faults %v", (*schedules+1)/2, acknowledged, s.faults)
			if acknowledged == 0 {
				t.Error("nothing was acknowledged")
			}
		})
	}
}

// The checks of TestFaults find what they look for.
func TestFaultChecksFindMistakes(t *testing.T) {
	t.Parallel()
	calls := map[string]entry{"a": {Call: 1, Return: 2, Seq: 10}, "b": {Call: 3, Return: 4, Seq: 20}}
	if problem := linearizable(calls, map[string]uint64{"a": 10, "b": 20}); problem != "" {
		t.Error(problem)
	}
	if linearizable(calls, map[string]uint64{"a": 20, "b": 10}) == "" {
		t.Error("a signal before one that had returned was not found")
	}
	calls["d"] = entry{Call: 5, Return: 6, Problem: "refused", Unknown: true}
	if problem := honest(calls, map[string]uint64{"a": 10, "d": 30}); problem != "" {
		t.Error(problem)
	}
	calls["d"] = entry{Call: 5, Return: 6, Problem: "refused"}
	if honest(calls, map[string]uint64{"a": 10, "d": 30}) == "" {
		t.Error("a signal whose publisher got an error was not found")
	}
	delete(calls, "b")
	calls["c"] = entry{Call: 1} // never returned, and is in the log before one that was called earlier
	if problem := linearizable(calls, map[string]uint64{"a": 20, "c": 10}); problem != "" {
		t.Error(problem)
	}
}
