package natstest_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

// Of what is published at the same time, each signal has its own place and its own fate.
func TestEnvelopesAreJudgedMessageByMessage(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	one, two := join(t, natsbus.Options{URL: url, Process: "one"}), join(t, natsbus.Options{URL: url, Process: "two"})
	const publishers, each = 100, 5
	var mu sync.Mutex
	var seqs []uint64
	refused := 0
	var all sync.WaitGroup
	for i := range publishers {
		p := agent(t, one, fmt.Sprint("agent", i))
		all.Go(func() {
			for n := range each {
				s := signals.Any(found(fmt.Sprint("t", i%2), strings.Repeat("x", 200)))
				if i < 4 && n > 0 { // ids that belong to the first, and contents that conflict
					s = proposes("t0", fmt.Sprint("p", n), fmt.Sprint("of agent ", i))
				}
				r, err := p.Publish(soon(t), s)
				var owned *conflict.ProposalError
				mu.Lock()
				if err == nil {
					seqs = append(seqs, r.Seq)
				} else if errors.As(err, &owned) {
					refused++
				} else {
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	last := must(t, agent(t, two, "last"), found("t", "end"))
	reach(t, one.Bus(), last.Seq)
	late := join(t, natsbus.Options{URL: url, Process: "late"})
	if got := lines(t, one.Bus()); !slices.Equal(got, lines(t, two.Bus())) || !slices.Equal(got, lines(t, late.Bus())) {
		t.Error("processes have different logs")
	}
	if refused != 3*(each-1) || len(seqs) != publishers*each-refused {
		t.Errorf("%d acknowledged, %d refused", len(seqs), refused)
	}
	for _, seq := range seqs {
		for s := range one.Bus().History(bus.Filter{After: seq - 1}) {
			if s.Head().Seq != seq {
				t.Errorf("%d was acknowledged and is not in the log", seq)
			}
			break
		}
	}
	// On a loaded machine some are sent again, which is not what is counted here.
	if s := one.Stats(); s.Last > publishers*each/2+s.Retried {
		t.Errorf("%d messages, %d of them sent again, for %d signals", s.Last, s.Retried, publishers*each)
	}
	slices.Sort(seqs)
	if len(slices.Compact(seqs)) != publishers*each-refused {
		t.Error("two signals have one sequence number")
	}
}

// pack writes an envelope as others may write it.
func pack(subject string, header nats.Header, data []byte) []byte {
	put := func(to []byte, text string) []byte {
		return append(binary.AppendUvarint(to, uint64(len(text))), text...)
	}
	all := binary.AppendUvarint(put(nil, subject), uint64(len(header)))
	for name, values := range header {
		all = put(put(all, name), values[0])
	}
	return put(all, string(data))
}

// Who may publish as one source may not publish an envelope with another's.
func TestEnvelopeWithAnothersMessageIsForged(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	dead := make(chan natsbus.DeadLetter, 10)
	l := join(t, natsbus.Options{URL: url, Tell: natsbus.Tell{Dead: func(d natsbus.DeadLetter) { dead <- d }}})
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	header, data, err := cloudevents.Binary(signals.New(
		signals.Header{ID: signals.MustID("z"), Source: "b", Thread: "t", Time: time.Now()}, signals.Discovery{Finding: "z", Relevance: 1}))
	if err != nil {
		t.Fatal(err)
	}
	header[nats.MsgIdHdr] = []string{"z"}
	inside := pack(natsbus.Subject("swarmbus", "t", "discovery", "b"), header, data)
	for _, c := range []struct {
		source string
		data   []byte
		want   string // "": it is in the log
	}{{"a", inside, natsbus.Forged}, {"b", inside, ""}, {"b", inside, natsbus.Duplicate}, {"b", inside[:len(inside)-1], natsbus.Malformed}} {
		subject := natsbus.Subject("swarmbus", "t", "%%", c.source)
		if _, err := nc.RequestMsg(&nats.Msg{Subject: subject, Header: nats.Header{"Swarmbus-Envelope": {"1"}}, Data: c.data}, 10*time.Second); err != nil {
			t.Fatal(err)
		}
		must(t, agent(t, l, "ann"), found("t", "behind"))
		select {
		case d := <-dead:
			if d.Reason != c.want {
				t.Errorf("from %s: %v, want %q", c.source, d, c.want)
			}
		default:
			if c.want != "" {
				t.Errorf("from %s: it is in the log, want %s", c.source, c.want)
			}
		}
	}
}

// A process that may speak for two agents, but not publish to %%, sends no envelopes of both.
func TestProcessThatMayNotSendEnvelopesSendsEachMessageAlone(t *testing.T) {
	t.Parallel()
	config, accounts := operated(t)
	url := natstest.Start(t, natstest.Options{Config: config})[0].URL()
	join(t, natsbus.Options{URL: url, Creds: accounts.user(t, "operator.creds", ">")})
	var warned atomic.Int64
	l := join(t, natsbus.Options{
		URL: url, Creds: accounts.user(t, "two.creds", append(agentMay("ann"), agentMay("bob")...)...),
		Tell: natsbus.Tell{Warn: func(problem string) {
			if strings.Contains(problem, ".%%") {
				warned.Add(1)
			}
		}},
	})
	publish := func() {
		var all sync.WaitGroup
		for i := range 100 {
			p := agent(t, l, []string{"ann", "bob"}[i%2])
			all.Go(func() { must(t, p, found("t", fmt.Sprint(i))) })
		}
		all.Wait()
	}
	publish()
	before := warned.Load()
	if before == 0 {
		t.Error("no envelope was refused")
	}
	if publish(); warned.Load() > before {
		t.Error("envelopes were sent after one was refused")
	}
}
