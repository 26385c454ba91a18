package natstest_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

const workerEnv = "NATSTEST_WORKER"

// A workerConfig says what a process of the fault tests does.
type workerConfig struct {
	URL, Stream, Name string
	Agents            int
	Replicas          int
	Ledger            string // file to which it appends what it tries and what is acknowledged
	Control           string // file: its content is a clock's offset; it is removed when publishing is to end
	Result            string // file for what the process derived from the log up to the last message
	Seed              int64
}

// An entry is a line of a ledger.
type entry struct {
	ID      string `json:"id"`
	Seq     uint64 `json:"seq,omitempty"` // 0: not acknowledged
	Call    int64  `json:"call"`          // nanoseconds of the machine's clock
	Return  int64  `json:"return,omitempty"`
	Problem string `json:"problem,omitempty"`
	Unknown bool   `json:"unknown,omitempty"` // it may be in the log nevertheless
}

// A ledger is outside of the log. A line is written at once, so that it survives the
// process.
type ledger struct {
	mu   sync.Mutex // protects the field below
	file *os.File
}

func (l *ledger) write(e entry) {
	text, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.file.Write(append(text, '\n')); err != nil {
		panic(err)
	}
}

func readLedger(name string) (all []entry, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) == nil { // the last line of a killed process may be torn
			all = append(all, e)
		}
	}
	return all, nil
}

// workerMain is a process with several agents. Each publishes discoveries, proposals and
// votes one after the other until it is told to stop.
func workerMain() {
	text := os.Getenv(workerEnv)
	if text == "" {
		return
	}
	if err := work(text); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func work(text string) error {
	var c workerConfig
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	file, err := os.OpenFile(c.Ledger, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	ledger := &ledger{file: file}
	var offset atomic.Int64
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	go obey(c.Control, &offset, stop)
	joining, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	log, err := natsbus.Join(joining, natsbus.Options{
		URL: c.URL, Stream: c.Stream, Process: c.Name, Storage: natsbus.Storage{Replicas: c.Replicas}, Compare: 100 * time.Millisecond,
		Bus: bus.Options{Clock: func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }},
	})
	if err != nil {
		return err
	}
	defer log.Close()
	var all sync.WaitGroup
	for i := range c.Agents {
		p, err := log.Bus().Agent(fmt.Sprintf("%s-%d", c.Name, i), bus.Permissions{})
		if err != nil {
			return err
		}
		all.Go(func() { publish(ctx, p, ledger, fmt.Sprintf("%d-%d", os.Getpid(), i), i) })
	}
	all.Wait()
	return conclude(&c, log)
}

// obey sets the clock as the file says, until it is gone.
func obey(control string, offset *atomic.Int64, stop func()) {
	for {
		text, err := os.ReadFile(control)
		if os.IsNotExist(err) {
			stop()
			return
		}
		if d, err := time.ParseDuration(string(text)); err == nil {
			offset.Store(int64(d))
		}
		pause()
	}
}

func publish(ctx context.Context, p *bus.Publisher, l *ledger, run string, i int) {
	for n := 0; ctx.Err() == nil; n++ {
		id := fmt.Sprintf("%s-%d-%s", p.Agent(), n, run)
		h := signals.Header{ID: signals.MustID(id), Thread: fmt.Sprint("t", i%3), Confidence: 0.75, TTL: -1}
		var s signals.Any = signals.New(h, signals.Discovery{Finding: strings.Repeat("x", 200), Relevance: 1})
		switch n % 10 {
		case 0:
			s = signals.New(h, signals.Proposal{ProposalID: fmt.Sprint("p", (i+n)%4), Content: fmt.Sprint("content ", (i+n)%4)})
		case 5:
			s = signals.New(h, signals.Vote{ProposalID: fmt.Sprint("p", n%4), Stance: signals.Agree, Weight: 1})
		}
		e := entry{ID: id, Call: time.Now().UnixNano()}
		l.write(e)
		one, cancel := context.WithTimeout(ctx, 20*time.Second)
		r, err := p.Publish(one, s)
		cancel()
		if e.Return = time.Now().UnixNano(); err != nil {
			e.Problem, e.Unknown = err.Error(), errors.Is(err, bus.ErrUnknown)
		} else {
			e.Seq = r.Seq
		}
		l.write(e)
		if err != nil {
			pause()
		}
	}
}

// conclude writes what this process derived from the log as far as it has it, which includes
// all that was acknowledged to it.
func conclude(c *workerConfig, log *natsbus.Log) error {
	last := log.Bus().Last()
	return os.WriteFile(c.Result, fmt.Appendf(nil, "%d %s %d", last, derived(log.Bus(), last), log.Stats().Alarms), 0o600)
}

// derived returns a hash of all that a bus has up to a sequence number, and of the
// decisions on the votes in it.
func derived(b *bus.Bus, to uint64) string {
	h := sha256.New()
	thread := map[string]*struct {
		proposals []string
		votes     []consensus.Vote
	}{}
	for s := range b.History(bus.Filter{}) {
		at := s.Head()
		if at.Seq > to {
			break
		}
		text, err := signals.Marshal(s)
		if err != nil {
			panic(err)
		}
		h.Write(text)
		t := thread[at.Thread]
		if t == nil {
			t = new(struct {
				proposals []string
				votes     []consensus.Vote
			})
			thread[at.Thread] = t
		}
		switch p := s.Body().(type) {
		case signals.Proposal:
			t.proposals = append(t.proposals, p.ProposalID)
		case signals.Vote:
			t.votes = append(t.votes, consensus.Vote{Voter: at.Source, Seq: at.Seq, ProposalID: p.ProposalID, Stance: consensus.Agree, Weight: p.Weight})
		}
	}
	for _, name := range []string{"t0", "t1", "t2"} {
		if t := thread[name]; t != nil {
			ballots, err := consensus.NewBallots(nil, unique(t.proposals), t.votes)
			if err != nil {
				panic(err)
			}
			d := consensus.ConfidenceWeighted{}.Decide(ballots.Close())
			fmt.Fprintf(h, "%s %v %s %v", name, d.Outcome, d.Choice, d.Support)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func unique(all []string) (out []string) {
	seen := map[string]bool{}
	for _, s := range all {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
