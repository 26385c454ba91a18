package natstest_test

import (
	"context"
	"crypto/ed25519"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/agents/models/modelstest"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

// A whisper collects what a process is told.
type whisper struct {
	mu   sync.Mutex
	said []string
}

func (w *whisper) tell() natsbus.Tell {
	say := func(text string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.said = append(w.said, text)
	}
	return natsbus.Tell{Warn: say, Dead: func(d natsbus.DeadLetter) { say(d.Error()) }}
}

func (w *whisper) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.said, "\n")
}

// hears waits until a process was told a text.
func (w *whisper) hears(t *testing.T, text string) {
	t.Helper()
	for ctx := soon(t); !strings.Contains(w.text(), text); pause() {
		if ctx.Err() != nil {
			t.Fatalf("no %q in:\n%s", text, w.text())
		}
	}
}

// What the key of the system signed counts as anybody's, as a driver says what its agents say.
func TestKeyOfTheSystemSpeaksForEverySource(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	private, public := keys(t, bus.System, "ann")
	driver := join(t, natsbus.Options{URL: url, Key: private[bus.System], Keys: public})
	must(t, agent(t, driver, "ann"), found("t", "of ann"))
	must(t, agent(t, driver, "bob"), found("t", "of bob, who has no key"))
	ann := join(t, natsbus.Options{URL: url, Key: private["ann"], Keys: public})
	must(t, agent(t, ann, "ann"), found("t", "her own"))
	if _, err := agent(t, ann, "bob").Publish(soon(t), found("t", "not hers")); err == nil || !strings.Contains(err.Error(), natsbus.Forged) {
		t.Errorf("ann as bob: %v", err)
	}
}

// Where the servers are not trusted, an answer counts only if the agent signed it, for that
// call, and an agent takes only calls of a driver.
func TestCallsAndAnswersCountByTheirSignatures(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	private, public := keys(t, bus.System, "ann", "eve")
	var driver, served whisper
	caller := join(t, natsbus.Options{URL: url, Key: private[bus.System], Keys: public, Tell: driver.tell()})
	echo := func(prefix string) func(context.Context, []byte) []byte {
		return func(_ context.Context, q []byte) []byte { return append([]byte(prefix), q...) }
	}
	conn, _ := rawClient(t, url)
	for name, serves := range map[string]func() (stop func()){
		"natsbus: an answer for turn:ann is forged: no signature": func() func() {
			sub, err := conn.Subscribe("swarmbus.call.turn:ann", func(m *nats.Msg) { _ = m.Respond([]byte("forged")) })
			if err != nil {
				t.Fatal(err)
			}
			return func() { _ = sub.Unsubscribe() }
		},
		"natsbus: an answer for turn:ann is forged: no key of \"ann\" made the signature": func() func() {
			return serve(t, join(t, natsbus.Options{URL: url, Key: private["eve"]}), "turn:ann", echo("forged "))
		},
	} {
		stop := serves()
		ctx, cancel := context.WithCancel(t.Context())
		called := make(chan error, 1)
		go func() {
			_, err := caller.Call(ctx, "turn:ann", []byte("q"))
			called <- err
		}()
		driver.hears(t, name)
		cancel()
		if err := <-called; err == nil {
			t.Errorf("%s: it was taken", name)
		}
		stop()
	}
	ann := join(t, natsbus.Options{URL: url, Key: private["ann"], Keys: public, Tell: served.tell()})
	serve(t, ann, "turn:ann", echo("answer to "))
	answers, err := conn.SubscribeSync("swarmbus.answer.turn:ann.forged")
	if err != nil {
		t.Fatal(err)
	}
	ask := &nats.Msg{Subject: "swarmbus.call.turn:ann", Reply: answers.Subject, Header: nats.Header{"Swarmbus-Call": {answers.Subject}}, Data: []byte("do harm")}
	for ctx := soon(t); !strings.Contains(served.text(), "natsbus: a call of turn:ann is forged: no signature"); pause() {
		if err := conn.PublishMsg(ask); err != nil || ctx.Err() != nil { // until it is served
			t.Fatal(err, ctx.Err())
		}
	}
	got, err := caller.Call(soon(t), "turn:ann", []byte("q"))
	if err != nil || string(got) != "answer to q" {
		t.Errorf("%q, %v", got, err)
	}
	if m, err := answers.NextMsg(100 * time.Millisecond); err == nil {
		t.Errorf("the forged call was answered: %s", m.Data)
	}
}

// The answer of a process without a key would be thrown away, after its model was asked.
func TestProcessWithoutAKeyTakesNoSignedCalls(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	private, public := keys(t, bus.System, "ann")
	caller := join(t, natsbus.Options{URL: url, Key: private[bus.System], Keys: public})
	var told whisper
	stop := serve(t, join(t, natsbus.Options{URL: url, Tell: told.tell()}), "turn:ann", func(context.Context, []byte) []byte {
		t.Error("it takes a call that is signed")
		return nil
	})
	called := make(chan error, 1)
	go func() {
		got, err := caller.Call(soon(t), "turn:ann", []byte("q"))
		if string(got) != "an answer" {
			t.Errorf("the answer is %q", got)
		}
		called <- err
	}()
	told.hears(t, "calls of turn:ann are signed, and this process has no key (Options.Key)")
	stop()
	serve(t, join(t, natsbus.Options{URL: url, Key: private["ann"], Keys: public}), "turn:ann", func(context.Context, []byte) []byte { return []byte("an answer") })
	if err := <-called; err != nil {
		t.Error(err)
	}
	stop = serve(t, join(t, natsbus.Options{URL: url}), "turn:bob", func(_ context.Context, q []byte) []byte { return q })
	if got, err := join(t, natsbus.Options{URL: url}).Call(soon(t), "turn:bob", []byte("q")); err != nil || string(got) != "q" {
		t.Errorf("without keys: %q, %v", got, err)
	}
	stop()
}

// What a driver says of its agents is signed by the system, so that a log goes on when the key of
// an agent is not trusted any more, and does not when that of the system is not.
func TestLogNeedsTheKeysOfTheSystemAndNotOfAgents(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	private, public := keys(t, bus.System, "ann", "next")
	driver := join(t, natsbus.Options{URL: url, Key: private[bus.System], Keys: public})
	must(t, agent(t, driver, "ann"), found("t", "of ann"))
	read := func(names ...string) (said int, dead uint64) {
		trusted := map[string][]ed25519.PublicKey{}
		for _, name := range names {
			trusted[name] = public[name]
		}
		l := join(t, natsbus.Options{URL: url, Keys: trusted})
		return len(lines(t, l.Bus())), l.Stats().Dead[natsbus.Forged]
	}
	if said, dead := read(bus.System, "next"); said != 1 || dead != 0 {
		t.Errorf("without the key of ann: %d signals, %d forged ones", said, dead)
	}
	if said, dead := read("ann", "next"); said != 0 || dead != 1 {
		t.Errorf("without the key of the system: %d signals, %d forged ones", said, dead)
	}
}

// A server may give an agent's signed answer to one call as that to another.
func TestAnswerToAnotherCallDoesNotCount(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	private, public := keys(t, bus.System, "ann")
	var driver whisper
	caller := join(t, natsbus.Options{URL: url, Key: private[bus.System], Keys: public, Tell: driver.tell()})
	ann := join(t, natsbus.Options{URL: url, Key: private["ann"]}) // who does not check whom she answers
	serve(t, ann, "turn:ann", func(_ context.Context, q []byte) []byte { return q })
	conn, _ := rawClient(t, url)
	if _, err := conn.Subscribe("swarmbus.call.turn:bob", func(m *nats.Msg) {
		m.Subject, m.Data = "swarmbus.call.turn:ann", []byte("another question")
		_ = conn.PublishMsg(m)
	}); err != nil {
		t.Fatal(err)
	}
	public["bob"] = public["ann"]
	ctx, cancel := context.WithCancel(t.Context())
	called := make(chan error, 1)
	go func() {
		got, err := caller.Call(ctx, "turn:bob", []byte("q"))
		if err == nil {
			t.Errorf("it took %q", got)
		}
		called <- err
	}()
	driver.hears(t, "an answer for turn:bob is forged: it answers another call")
	cancel()
	<-called
}

// A recorded result that the agent did not sign is not what its model said.
func TestForgedResultDoesNotCount(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	private, public := keys(t, bus.System, "ann", "eve")
	results := func(name string, tell natsbus.Tell) *natsbus.Results {
		r, err := join(t, natsbus.Options{URL: url, Key: private[name], Keys: public, Tell: tell}).Results(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	said := func(text string) func(context.Context) ([]byte, error) {
		return func(context.Context) ([]byte, error) { return []byte(text), nil }
	}
	var told whisper
	eve, ann := results("eve", natsbus.Tell{}), results("ann", told.tell())
	if _, err := eve.Do(soon(t), journal.Key{Agent: "ann", Turn: 1}, said("forged")); err != nil {
		t.Fatal(err)
	}
	if got, err := ann.Do(soon(t), journal.Key{Agent: "ann", Turn: 1}, said("her own")); err != nil || string(got) != "her own" {
		t.Errorf("%q, %v", got, err)
	}
	told.hears(t, `is forged: no key of "ann" made the signature`)
	for _, text := range []string{"first", "second"} {
		if got, err := ann.Do(soon(t), journal.Key{Agent: "ann", Turn: 2}, said(text)); err != nil || string(got) != "first" {
			t.Errorf("%q, %v, want what was recorded first", got, err)
		}
	}
}

// With keys a process begins with no snapshot but that of a process that holds leases.
func TestSnapshotThatTheSystemDidNotSignIsRefused(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	private, public := keys(t, bus.System, "ann")
	over := func(string) bool { return false }
	driver := join(t, natsbus.Options{URL: url, Key: private[bus.System], Keys: public, Over: over})
	must(t, agent(t, driver, "ann"), found("t", "x"))
	for _, c := range []struct {
		key     string
		refused bool
	}{{"", true}, {"ann", true}, {bus.System, false}} {
		maker := join(t, natsbus.Options{URL: url, Key: private[c.key], Over: over})
		if err := maker.Snapshot(soon(t)); err != nil {
			t.Fatal(err)
		}
		var told whisper
		l := join(t, natsbus.Options{URL: url, Keys: public, Tell: told.tell()})
		if got := strings.Contains(told.text(), "the snapshot is refused"); got != c.refused || len(lines(t, l.Bus())) != 1 {
			t.Errorf("made with the key of %q: refused is %v: %v", c.key, got, told.text())
		}
	}
}

// Processes of the command sign by flags, and say what was forged on their servers; what was
// changes no decision.
func TestCommandsWithKeysSayWhatIsForged(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	url, calls := scripted(t)
	evil, _ := scripted(t)
	server := natstest.Start(t, natstest.Options{})[0]
	dir := t.TempDir()
	lines, _ := runCommand(t, "keys", "system", "planner", "critic", "verifier", "--dir", dir)
	strangers, _ := runCommand(t, "keys", "stranger", "--dir", dir)
	trust, wrong := filepath.Join(dir, "swarm.trust"), filepath.Join(dir, "wrong.trust")
	for file, text := range map[string]string{trust: "# of the swarm\n" + lines, wrong: strangers} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flags := func(key, trusted string) []string {
		return []string{"--nats", server.URL(), "--sign", filepath.Join(dir, key+".key"), "--trust", trusted, "--model", "openai:large"}
	}
	refused := startTalk(t, append([]string{"solve", "Which retry policy?"}, flags("system", wrong)...)...)
	refused.sees(t, "does not trust the key of --sign for system: its line is")
	refused.sees(t, strings.SplitN(lines, "\n", 2)[0])
	ends := func(c *talk) string { _ = c.cmd.Wait(); return c.text() }
	ends(refused)

	serves := func(id, key, base string, more ...string) *talk {
		c := startTalk(t, append(append([]string{"agent", "--as", id, "--base-url", base}, flags(key, trust)...), more...)...)
		c.sees(t, "takes its turns here")
		return c
	}
	planner := serves("planner", "planner", url)
	serves("verifier", "verifier", url)
	impostor := startTalk(t, "agent", "--as", "critic", "--base-url", evil, "--nats", server.URL(), "--model", "openai:large")
	impostor.sees(t, "takes its turns here")
	conn, js := rawClient(t, server.URL())
	evilAnswer, err := conn.Subscribe("swarmbus.call.turn:critic", func(m *nats.Msg) { _ = m.Respond([]byte("evil")) })
	if err != nil {
		t.Fatal(err)
	}
	driver := startTalk(t, append([]string{"solve", "Which retry policy?", "--mode", "deliberate"}, flags("system", trust)...)...)
	driver.sees(t, `nats: natsbus: an answer for turn:critic is forged: no signature`)
	impostor.sees(t, "nats: natsbus: calls of turn:critic are signed, and this process has no key (--sign)")
	_ = evilAnswer.Unsubscribe()
	if err := conn.PublishMsg(&nats.Msg{Subject: "swarmbus.call.turn:planner", Reply: "x", Header: nats.Header{"Swarmbus-Call": {"x"}}}); err != nil {
		t.Fatal(err)
	}
	planner.sees(t, "nats: natsbus: a call of turn:planner is forged: no signature")
	forge(t, js, "forged")
	driver.sees(t, "is forged: no signature")
	_ = impostor.cmd.Process.Kill()
	_ = impostor.cmd.Wait()
	serves("critic", "critic", url)
	text := ends(driver)
	if !strings.Contains(text, "exponential backoff with full jitter") || !strings.Contains(text, "reached") || strings.Contains(text, "alarm") || strings.Contains(text, "evil") {
		t.Errorf("the solve:\n%s", text)
	}
	if calls.Load() == 0 {
		t.Error("nobody was asked")
	}
}

// forge stores what is said to be the planner's in the log.
func forge(t *testing.T, js jetstream.JetStream, id string) {
	t.Helper()
	header, data, err := cloudevents.Binary(signals.New(
		signals.Header{ID: signals.MustID(id), Source: "planner", Thread: "t", Time: time.Now()}, signals.Discovery{Finding: "evil", Relevance: 1}))
	if err != nil {
		t.Fatal(err)
	}
	nh := nats.Header(header)
	nh.Set(nats.MsgIdHdr, id)
	if _, err := js.PublishMsg(soon(t), &nats.Msg{Subject: natsbus.Subject("swarmbus", "t", "discovery", "planner"), Header: nh, Data: data}); err != nil {
		t.Fatal(err)
	}
}
