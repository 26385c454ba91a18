package natsbus

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

// reader returns a log that reads what a test gives it, without servers.
func reader(t *testing.T, o Options) *Log {
	t.Helper()
	o, err := o.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	l := &Log{Link: newLink(o), waiting: newWaiting(), judge: newJudge(&o), kept: kept{left: []signals.Kind{}}}
	o.Bus.Sequencer, o.Bus.TTL = l, -1
	if l.bus, err = bus.New(&o.Bus); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.bus.Close)
	l.begin(1)
	return l
}

// reads has a log read the next message of the stream.
func (l *Log) reads(t *testing.T, m *nats.Msg) {
	t.Helper()
	seq := l.next.Load()
	if err := l.take(t.Context(), &message{seq: seq, stored: time.Now(), subject: m.Subject, header: m.Header, data: m.Data}); err != nil {
		t.Fatal(err)
	}
}

// said is what a source says in a thread, complete.
func said(id, thread, source string) signals.Any {
	return signals.New(signals.Header{ID: signals.MustID(id), Source: source, Thread: thread, Time: time.Now(), Confidence: 1}, signals.Discovery{Finding: id, Relevance: 1})
}

func written(t *testing.T, all ...signals.Any) *nats.Msg {
	t.Helper()
	m, err := encode("swarmbus.log", all, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// raises is a fence that follows the one with a token.
func raises(after int, name string) *nats.Msg {
	return &nats.Msg{Subject: "swarmbus.log.%%.%%.system", Header: nats.Header{headerRaise: {fmt.Sprint(after, " ", name)}, headerID: {"fence"}}}
}

func under(token int, name string, m *nats.Msg) *nats.Msg {
	m.Header.Set(headerFence, fmt.Sprint(token, " ", name))
	return m
}

func TestForbiddenMessagesAreDeadLettersWithTheirReason(t *testing.T) {
	t.Parallel()
	ahead := signals.With(said("ahead", "t", "a"), func() signals.Header {
		h := said("ahead", "t", "a").Head()
		h.Time = time.Now().Add(maxAhead + time.Minute)
		return h
	}())
	elsewhere := written(t, said("elsewhere", "t", "a"))
	elsewhere.Subject = Subject("swarmbus", "t", "discovery", "b")
	renamed := written(t, said("renamed", "t", "a"))
	renamed.Header.Set(headerID, "another")
	for _, c := range []struct {
		name   string
		m      *nats.Msg
		reason string // "": it is in the log
	}{
		{"one signal", written(t, said("fine", "t", "a")), ""},
		{"two signals", written(t, said("fine", "t", "a"), said("fine too", "t", "a")), ""},
		{"an id twice", written(t, said("twice", "t", "a"), said("twice", "t", "a")), Duplicate},
		{"ahead of the servers", written(t, ahead), Early},
		{"two signals, one ahead of the servers", written(t, said("fine", "t", "a"), ahead), Early},
		{"another's subject", elsewhere, Forged},
		{"another message id", renamed, Malformed},
		{"the id of a conflict", written(t, said(conflict.IDPrefix+"1", "t", "a")), Malformed},
		{"without a source", written(t, said("nobody", "t", "")), Malformed},
		{"no event", &nats.Msg{Subject: "swarmbus.log.t.vote.a", Data: []byte("no event")}, Malformed},
		{"a lease without a name", under(1, "", written(t, said("nameless", "t", "a"))), Fenced},
	} {
		l := reader(t, Options{})
		l.reads(t, c.m)
		dead := l.Stats().Dead
		if c.reason == "" && len(dead) > 0 || c.reason != "" && dead[c.reason] != 1 || (l.bus.Last() > 0) != (c.reason == "") {
			t.Errorf("%s: %v, the bus is at %d, want %q", c.name, dead, l.bus.Last(), c.reason)
		}
	}
}

// The servers' clocks count, whatever the clock of a process says: processes read a message at
// different times.
func TestSignalIsEarlyByTheTimeOfTheServers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ stored, ahead time.Duration }{
		"read much later, ahead":     {-time.Hour, maxAhead + time.Second},
		"read much later, in time":   {-time.Hour, maxAhead},
		"read by a slow clock":       {time.Hour, 0},
		"read by a slow clock, late": {time.Hour, maxAhead + time.Second},
	} {
		l := reader(t, Options{})
		stored := time.Now().Add(c.stored)
		h := said("x", "t", "a").Head()
		h.Time = stored.Add(c.ahead)
		m := written(t, signals.With(said("x", "t", "a"), h))
		if err := l.take(t.Context(), &message{seq: 1, stored: stored, subject: m.Subject, header: m.Header, data: m.Data}); err != nil {
			t.Fatal(err)
		}
		if got, want := l.Stats().Dead[Early] == 1, c.ahead > maxAhead; got != want {
			t.Errorf("%s: early is %v, want %v: %v", name, got, want, l.Stats().Dead)
		}
	}
}

// What is signed: the subject, the event with its headers, the lease, and the data. Each of the
// sources has to sign.
func TestSignatureCoversAllOfAMessageAndItsSources(t *testing.T) {
	t.Parallel()
	ours, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	theirs, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	signed := func(all ...signals.Any) *nats.Msg {
		m := under(7, "solve", written(t, all...))
		sign(m, key)
		return m
	}
	change := func(m *nats.Msg, do func(m *nats.Msg)) *nats.Msg {
		do(m)
		return m
	}
	for name, c := range map[string]struct {
		m     *nats.Msg
		taken bool
	}{
		"as it was signed": {signed(said("x", "t", "a")), true},
		"two of a source":  {signed(said("x", "t", "a"), said("y", "t", "a")), true},
		"of two sources":   {signed(said("x", "t", "a"), said("y", "t", "b")), false},
		"its data": {change(signed(said("x", "t", "a")), func(m *nats.Msg) {
			m.Data = []byte(strings.Replace(string(m.Data), `"x"`, `"z"`, 1))
		}), false},
		"its event": {change(signed(said("x", "t", "a")), func(m *nats.Msg) { m.Header["ce-confidence"] = []string{"0.1"} }), false},
		"its event in another spelling": {change(signed(said("x", "t", "a")), func(m *nats.Msg) {
			m.Header["Ce-Confidence"] = m.Header["ce-confidence"]
			delete(m.Header, "ce-confidence")
		}), false},
		"a second value of a header": {change(signed(said("x", "t", "a")), func(m *nats.Msg) { m.Header["ce-confidence"] = append(m.Header["ce-confidence"], "0.1") }), false},
		"its mode": {change(signed(said("x", "t", "a"), said("y", "t", "a")), func(m *nats.Msg) {
			m.Header.Set(headerType, cloudevents.BatchType+"; charset=UTF-8")
		}), false},
		"an event's header beside it": {change(signed(said("x", "t", "a")), func(m *nats.Msg) { m.Header["Ce-Partitionkey"] = []string{"p"} }), false},
		"its lease":                   {change(signed(said("x", "t", "a")), func(m *nats.Msg) { under(8, "solve", m) }), false},
		"no lease":                    {change(signed(said("x", "t", "a")), func(m *nats.Msg) { m.Header.Del(headerFence) }), false},
		"its stream":                  {change(signed(said("x", "t", "a")), func(m *nats.Msg) { m.Subject = "other.log" + strings.TrimPrefix(m.Subject, "swarmbus.log") }), false},
	} {
		l := reader(t, Options{Keys: map[string][]ed25519.PublicKey{"a": {ours}, "b": {theirs}}})
		l.reads(t, c.m)
		if got := l.Stats().Dead[Forged] == 0; got != c.taken {
			t.Errorf("%s: taken is %v, want %v: %v", name, got, c.taken, l.Stats().Dead)
		}
	}
}

// A message that says it raises a fence, and comes late, lowers none.
func TestFenceThatIsRaisedLateLowersNone(t *testing.T) {
	t.Parallel()
	l := reader(t, Options{})
	for _, m := range []*nats.Msg{
		raises(0, "solve"), raises(1, "solve"), raises(1, "solve"), under(1, "solve", written(t, said("late", "t", "a"))),
		under(2, "solve", written(t, said("holder", "t", "a"))), under(1, "another", written(t, said("other lease", "t", "a"))),
	} {
		l.reads(t, m)
	}
	if got := l.Stats().Dead; got[Fenced] != 2 || len(got) != 1 {
		t.Errorf("%v, want the late fence and the late message", got)
	}
	if n := count(l.bus); n != 2 {
		t.Errorf("%d signals in the log, want 2", n)
	}
}

func count(b *bus.Bus) (n int) {
	for range b.History(bus.Filter{}) {
		n++
	}
	return n
}

// Whoever sends a message with the id that a process waits for does not answer it, whatever
// process it names, alone or in an envelope.
func TestPublisherLearnsOfItsOwnMessageOnly(t *testing.T) {
	t.Parallel()
	from := func(process string, m *nats.Msg) *nats.Msg {
		m.Header.Set(headerProcess, process)
		return m
	}
	forged, theirs := written(t, said("x", "t", "a")), written(t, said("x", "t", "eve"))
	forged.Subject = Subject("swarmbus", "t", "discovery", "b")
	garbage := &nats.Msg{Subject: Subject("swarmbus", "t", "x", "eve"), Header: nats.Header{headerID: {"x"}}, Data: []byte("x")}
	for name, c := range map[string]struct {
		before *nats.Msg
		reason string // of the verdict on the own message; "": it is in the log
	}{
		"of another process":       {from("another", forged), ""},
		"forged":                   {from("mine", forged), ""},
		"garbage":                  {from("mine", garbage), ""},
		"garbage in an envelope":   {envelope([]*letter{{Msg: from("mine", garbage)}, {Msg: from("mine", garbage)}}), ""},
		"another signal's message": {from("mine", theirs), Duplicate},
	} {
		l := reader(t, Options{Process: "mine"})
		own := from("mine", written(t, said("x", "t", "a")))
		told, err := l.waiting.verdictOn(signals.MustID("x"), own)
		if err != nil {
			t.Fatal(err)
		}
		l.reads(t, c.before)
		select {
		case v := <-told:
			t.Fatalf("%s: told of another's message: %+v", name, v)
		default:
		}
		l.reads(t, own)
		v := <-told
		var dead *DeadLetter
		if errors.As(v.err(), &dead); v.first != firstOf(2) || (v.err() == nil) != (c.reason == "") || dead != nil && dead.Reason != c.reason {
			t.Errorf("%s: %+v, %v", name, v, v.err())
		}
	}
}

// A reader that is quicker than the handlers of its bus waits for them.
func TestReaderWaitsForHandlersThatAreBehind(t *testing.T) {
	t.Parallel()
	l := reader(t, Options{Bus: bus.Options{Undrained: 1}})
	next, handled := make(chan struct{}), 0
	_, err := bus.Handle(l.bus, bus.HandleOptions{Agent: "slow"}, func(context.Context, signals.Signal[signals.Discovery]) error {
		<-next
		handled++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const n = 5
	go func() {
		for range n {
			next <- struct{}{}
		}
	}()
	for i := range n {
		l.reads(t, written(t, said(fmt.Sprint("x", i), "t", "a")))
	}
	if err := l.bus.Sync(t.Context(), l.bus.Last()); err != nil {
		t.Fatal(err)
	}
	if dead := l.Stats().Dead; len(dead) > 0 || handled != n {
		t.Errorf("handled %d of %d, dead letters %v", handled, n, dead)
	}
}

// A process that begins with a snapshot has the fences and the signals of messages with one
// thread that goes on.
func TestSnapshotHasFencesAndSignalsOfOneMoment(t *testing.T) {
	t.Parallel()
	o := Options{Over: func(thread string) bool { return thread == "past" }}
	first := reader(t, o)
	for _, m := range []*nats.Msg{raises(0, "solve"), written(t, said("gone", "past", "a")), written(t, said("past", "past", "a"), said("live", "t", "a"))} {
		first.reads(t, m)
	}
	s := first.snapshot()
	if len(s.Left) != 1 || s.Left[0] != signals.KindDiscovery || s.Seq != 3 {
		t.Errorf("%+v, want a snapshot that leaves discoveries out", s)
	}
	for i := range s.Groups {
		for _, one := range s.Groups[i].all {
			text, err := signals.Marshal(one)
			if err != nil {
				t.Fatal(err)
			}
			s.Groups[i].Signals = append(s.Groups[i].Signals, text)
		}
		s.Groups[i].all = nil
	}
	late := reader(t, o)
	if err := late.load(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	late.begin(s.Seq + 1)
	if n := count(late.bus); n != 2 {
		t.Errorf("%d signals, want the 2 that were said together", n)
	}
	late.reads(t, under(0, "solve", written(t, said("late", "t", "a"))))
	late.reads(t, written(t, said("gone", "t", "a")))
	if got := late.Stats().Dead; got[Fenced] != 1 || got[Duplicate] != 1 {
		t.Errorf("%v, want the message under the lost lease and the one that was said before", got)
	}
	s.Groups[0].Last++
	if err := reader(t, o).load(t.Context(), s); err == nil || !strings.Contains(err.Error(), "signals end at") {
		t.Errorf("a snapshot that leads to something else: %v", err)
	}
}

// What waits is sent in envelopes of one thread, so that servers can filter by threads.
func TestEnvelopeHasOneThread(t *testing.T) {
	t.Parallel()
	var o outbox
	var first *letter
	for i := range wide + 6 {
		p := &letter{Msg: written(t, said(fmt.Sprint("x", i), fmt.Sprint("t", i%2), "a"))}
		if sent := o.add(p); i == 0 {
			first = p
		} else if got := len(sent) > 0; got != (i < wide) {
			t.Errorf("letter %d was sent: %v", i, got)
		}
	}
	for range 2 {
		sent := o.land(first)
		if len(sent) != 3 {
			t.Fatalf("%d letters together, want 3", len(sent))
		}
		for _, p := range sent {
			if p.thread() != sent[0].thread() {
				t.Errorf("threads %s and %s in an envelope", sent[0].thread(), p.thread())
			}
		}
		first = sent[0]
	}
}

// Together, signals and their conflicts would have more numbers than a message has.
func TestEnvelopeHasNoMoreSignalsThanNumbers(t *testing.T) {
	t.Parallel()
	var o outbox
	var first *letter
	for i := range wide + 2 {
		p := &letter{Msg: written(t, said(fmt.Sprint("x", i), "t", "a")), signals: maxEnvelope/2 + 1}
		if sent := o.add(p); i == 0 {
			first = sent[0]
		}
	}
	if sent := o.land(first); len(sent) != 1 {
		t.Errorf("%d letters together, want 1", len(sent))
	}
}

// Nobody waits for a letter whose publisher has left: it takes no place among those on their way.
func TestLetterThatIsNotWaitedForIsNotSent(t *testing.T) {
	t.Parallel()
	var o outbox
	var all []*letter
	for i := range 2 * wide {
		all = append(all, &letter{Msg: written(t, said(fmt.Sprint("x", i), "t", "a"))})
		o.add(all[i])
	}
	for _, p := range append(all[wide:], all[:wide]...) {
		if sent := o.land(p); len(sent) > 0 {
			t.Errorf("%d letters are sent", len(sent))
		}
	}
	if sent := o.add(&letter{Msg: written(t, said("next", "t", "a"))}); len(sent) != 1 || o.flying != 1 {
		t.Errorf("the next letter is sent with %d others, %d on their way", len(sent)-1, o.flying)
	}
}

func TestEndOfLogWakesWaiters(t *testing.T) {
	t.Parallel()
	l := reader(t, Options{})
	told, err := l.waiting.verdictOn(signals.MustID("x"), new(nats.Msg))
	if err != nil {
		t.Fatal(err)
	}
	l.waiting.end(ErrClosed)
	if v := <-told; !errors.Is(v.err(), ErrClosed) {
		t.Errorf("%+v", v)
	}
	if _, err := l.waiting.verdictOn(signals.MustID("y"), new(nats.Msg)); !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
}
