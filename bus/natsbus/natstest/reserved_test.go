package natstest_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines/routers"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// sendAs sends a signal as another program would, to the subject of a source, and returns the
// error of the servers.
func sendAs(t *testing.T, nc *nats.Conn, source string, s signals.Any) error {
	t.Helper()
	header, data, err := cloudevents.Binary(s)
	if err != nil {
		t.Fatal(err)
	}
	h := s.Head()
	m := &nats.Msg{Subject: natsbus.Subject("swarmbus", h.Thread, string(s.Kind()), source), Header: nats.Header(header), Data: data}
	m.Header.Set(nats.MsgIdHdr, h.ID.String())
	_, err = nc.RequestMsg(m, 2*time.Second)
	return err
}

// What drives a swarm counts only from those who may speak for the system: a process with the
// permissions of an agent cannot begin, decide or stop the solves and rooms of others.
func TestReservedKindsOfAnAgentAreNotInTheLog(t *testing.T) {
	t.Parallel()
	config, accounts := operated(t)
	url := natstest.Start(t, natstest.Options{Config: config})[0].URL()
	operator := accounts.user(t, "operator.creds", ">")
	driver := joinSolvingAs(t, natsbus.Options{URL: url, Process: "driver", Creds: operator, Reserved: routers.Reserved()})
	nc, err := nats.Connect(url, nats.UserCredentials(accounts.user(t, "ann.creds", agentMay("ann")...)))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	text := func(v any) runlog.Text {
		b, _ := json.Marshal(v)
		return runlog.Text(b)
	}
	head := func(id string) signals.Header {
		return signals.Header{ID: signals.MustID(id), Source: "ann", Thread: "solve-00000007-1", Time: time.Now(), TTL: -1, Confidence: 1}
	}
	forged := []signals.Any{
		signals.New(head("a1"), task),
		signals.New(head("a2"), runlog.Opened{Terms: text(map[string]any{"name": "swarm", "strategy": "voting", "quorum": 1, "electorate": []string{"ann"}})}),
		signals.New(head("a3"), runlog.Decided{Name: "swarm", Decision: text(map[string]any{"outcome": "reached", "choice": "evil"}), Stop: runlog.StopConsensus}),
		signals.New(head("a4"), signals.Raw{Type: runlog.KindTerms, JSON: "{}"}),
		signals.New(head("a5"), signals.Raw{Type: roomlog.Read{}.Kind(), JSON: `{"through":1}`}),
		signals.New(head("a6"), signals.Conflict{SignalA: signals.MustID("p"), SignalB: signals.MustID("q")}),
		signals.New(head("a7"), signals.Consensus{ProposalID: "p", Decision: "evil", Confidence: 1}),
		signals.New(head("a8"), conflict.Resolution{SignalA: signals.MustID("p"), SignalB: signals.MustID("q"), Winner: signals.MustID("p")}),
	}
	for _, s := range forged {
		if err := sendAs(t, nc, "ann", s); err != nil {
			t.Fatal(err)
		}
		if err := sendAs(t, nc, "system", s); err == nil {
			t.Errorf("%s: the servers let ann speak for the system", s.Kind())
		}
	}
	got, err := solve(soon(t), driver, team(nil))
	if err != nil || got.Stop != runlog.StopConsensus || got.Answer != "exponential backoff with jitter" {
		t.Errorf("%+v, %v", got, err)
	}
	if n := driver.Stats().Dead[natsbus.Forged]; n != uint64(len(forged)) {
		t.Errorf("%d forged, want %d: %v", n, len(forged), driver.Stats())
	}
	for _, line := range lines(t, driver.Bus()) {
		if strings.Contains(line, `"source":"ann"`) && strings.Contains(line, "evil") {
			t.Errorf("%s is in the log", line)
		}
	}
}

// With keys, reserved kinds need one that is named for the system.
func TestReservedKindsNeedAKeyOfTheSystem(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	private, public := keys(t, "ann", "driver")
	public["system"] = public["driver"]
	codec, err := machines.Codec()
	if err != nil {
		t.Fatal(err)
	}
	o := natsbus.Options{URL: url, Codec: codec, Keys: public, Reserved: machines.Reserved()}
	o.Key = private["ann"]
	ann := join(t, o)
	o.Key = private["driver"]
	driver := join(t, o)
	begins := func() signals.Any { return signals.New(signals.Header{Thread: "t", Confidence: 1, TTL: -1}, task) }
	if _, err := ann.Bus().System().Publish(soon(t), begins()); err == nil || !strings.Contains(err.Error(), natsbus.Forged) {
		t.Errorf("a task of ann: %v", err)
	}
	must(t, agent(t, ann, "ann"), found("t", "her own"))
	must(t, driver.Bus().System(), begins())
}
