package natstest_test

import (
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

func TestStreamWithOtherSettingsIsRefusedAndLimitsAreNamed(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	join(t, natsbus.Options{URL: url, Stream: "made"}).Close()
	_, js := rawClient(t, url)
	made, err := js.Stream(t.Context(), "made")
	if err != nil {
		t.Fatal(err)
	}
	for setting, c := range map[string]struct {
		change  func(c *jetstream.StreamConfig)
		limited bool // joined, with a warning
	}{
		"subjects":             {change: func(c *jetstream.StreamConfig) { c.Subjects = []string{c.Name + ".log.*.discovery.*"} }},
		"duplicate_window":     {change: func(c *jetstream.StreamConfig) { c.Duplicates = time.Second }},
		"max_msgs_per_subject": {change: func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 1 }},
		"max_msg_size":         {change: func(c *jetstream.StreamConfig) { c.MaxMsgSize = 200 }},
		"allow_msg_ttl":        {change: func(c *jetstream.StreamConfig) { c.AllowMsgTTL = true }},
		"max_msgs":             {func(c *jetstream.StreamConfig) { c.MaxMsgs = 10 }, true},
		"max_bytes":            {func(c *jetstream.StreamConfig) { c.MaxBytes = 1 << 20 }, true},
		"max_age":              {func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour }, true},
	} {
		config := made.CachedInfo().Config
		config.Name = setting
		config.Subjects = []string{setting + ".log.>"}
		c.change(&config)
		if _, err := js.CreateStream(t.Context(), config); err != nil {
			t.Fatal(setting, err)
		}
		warned := ""
		l, err := natsbus.Join(soon(t), natsbus.Options{URL: url, Stream: setting, Tell: natsbus.Tell{Warn: func(problem string) { warned += problem }}})
		if err == nil {
			l.Close()
		}
		var wrong *natsbus.ConfigError
		switch refused := errors.As(err, &wrong); {
		case c.limited && (err != nil || !strings.Contains(warned, setting+" is ")):
			t.Errorf("%s: %v, warned %q", setting, err, warned)
		case !c.limited && (!refused || wrong.Setting != setting):
			t.Errorf("%s: %v", setting, err)
		}
	}
}

// Limits that were asked for too late do nothing, and so are told, also to who makes snapshots.
func TestLimitsOtherThanThoseOfTheLogAreNamed(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	made := natsbus.Storage{MaxSignals: 1000, MaxAge: time.Hour}
	join(t, natsbus.Options{URL: url, Storage: made})
	for want, s := range map[string]natsbus.Storage{
		"":                                   made,
		"max_msgs is 1000, want 30: ":        {MaxSignals: 30, MaxAge: time.Hour},
		"max_msgs is 1000, want 5000: ":      {MaxSignals: 5000, MaxAge: time.Hour},
		"max_age is 1h0m0s, want 30m0s: ":    {MaxSignals: 1000, MaxAge: 30 * time.Minute},
		"max_bytes is no limit, want 1024: ": {MaxSignals: 1000, MaxAge: time.Hour, MaxBytes: 1024},
	} {
		for _, over := range []func(string) bool{nil, func(string) bool { return true }} {
			var told whisper
			join(t, natsbus.Options{URL: url, Storage: s, Over: over, Tell: told.tell()})
			if got := told.text(); !strings.Contains(got, want) || strings.Contains(got, "max_") != (want != "") {
				t.Errorf("%+v: told %q, want %q", s, got, want)
			}
		}
	}
	var told whisper
	join(t, natsbus.Options{URL: url, Over: func(string) bool { return true }, Tell: told.tell()})
	if strings.Contains(told.text(), "max_") {
		t.Errorf("who makes snapshots and asks for no limit is told: %s", told.text())
	}
}

// The bucket has the replicas of the process that made it.
func TestBucketWithFewerReplicasIsNamed(t *testing.T) {
	t.Parallel()
	servers := natstest.Start(t, natstest.Options{Servers: 3})
	var monitors []string
	for _, s := range servers {
		monitors = append(monitors, s.Monitor())
	}
	l := join(t, natsbus.Options{URL: natstest.URLs(servers), Storage: natsbus.Storage{Replicas: 3, Strict: true, Monitor: monitors}})
	var wrong *natsbus.ConfigError
	few := natsbus.Storage{Replicas: 3, Strict: true, Monitor: []string{monitors[0], monitors[1], monitors[1]}}
	if one, err := natsbus.Join(soon(t), natsbus.Options{URL: natstest.URLs(servers), Storage: few}); err == nil {
		one.Close()
		t.Error("a replica may be anywhere, and is not asked when it syncs")
	} else if !errors.As(err, &wrong) || wrong.Got != "2" || wrong.Want != "3" {
		t.Errorf("two of three servers are named: %v", err)
	}
	_, js := rawClient(t, natstest.URLs(servers))
	if _, err := js.CreateKeyValue(soon(t), jetstream.KeyValueConfig{Bucket: "swarmbus-leases", TTL: 10 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Lease(soon(t), "solve"); !errors.As(err, &wrong) || wrong.Setting != "num_replicas of KV_swarmbus-leases" {
		t.Errorf("got %v", err)
	}
}

// Servers know an id from anything that was sent with it.
func TestIDThatGarbageHasTakenKeepsNoSignalOut(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	conn, _ := rawClient(t, url)
	l := join(t, natsbus.Options{URL: url})
	store(t, conn, &nats.Msg{Subject: "swarmbus.log.t.x.ann", Header: nats.Header{"Nats-Msg-Id": {"vote-of-bob"}}, Data: []byte("garbage")})
	vote := found("t", "bob's")
	vote.ID = signals.MustID("vote-of-bob")
	must(t, agent(t, l, "bob"), vote)
	if _, err := agent(t, l, "bob").Publish(soon(t), vote); !errors.Is(err, bus.ErrDuplicate) {
		t.Errorf("again: %v, want ErrDuplicate", err)
	}
	if n := len(lines(t, l.Bus())); n != 1 {
		t.Errorf("%d signals in the log", n)
	}
}

// Ann reads the ids of the system's signals, and publishes signals of her own with those that
// would be next if they were counted up.
func TestIDsThatFollowAreNotThoseOfTheNextSignals(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	conn, _ := rawClient(t, url)
	l := join(t, natsbus.Options{URL: url})
	must(t, l.Bus().System(), found("t", "first"))
	var id string
	for s := range l.Bus().History(bus.Filter{}) {
		id = s.Head().ID.String()
	}
	text := base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)
	prefix, tail := id[:len(id)-20], id[len(id)-20:]
	last, err := text.DecodeString(tail)
	if err != nil {
		t.Fatal(id, err)
	}
	for n := uint32(1); n <= 32; n++ {
		guess := slices.Clone(last)
		binary.BigEndian.PutUint32(guess[8:], binary.BigEndian.Uint32(last[8:])+n)
		next := signals.New(signals.Header{
			ID: signals.MustID(prefix + text.EncodeToString(guess)), Source: "ann", Thread: "t", Time: time.Now(), TTL: -1, Confidence: 1,
		}, signals.Discovery{Finding: "hers", Relevance: 1})
		if err := sendAs(t, conn, "ann", next); err != nil {
			t.Fatal(err)
		}
	}
	for range 8 {
		must(t, l.Bus().System(), found("t", "next"))
	}
}

// An envelope of three batches, each of which a message could have.
func TestEnvelopeTakesNoNumbersOfTheNextMessage(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := join(t, natsbus.Options{URL: url})
	conn, _ := rawClient(t, url)
	var data []byte
	for b := range 3 {
		var all []signals.Any
		for i := range 1700 {
			all = append(all, signals.New(signals.Header{ID: signals.MustID(fmt.Sprint(b, "-", i)), Source: "e", Thread: "t", Time: time.Now(), TTL: -1}, signals.Raw{Type: "x", JSON: "{}"}))
		}
		text, err := cloudevents.Batch(all)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, pack("swarmbus.log.t.%%.e", nats.Header{"Content-Type": {cloudevents.BatchType}, "Nats-Msg-Id": {all[0].Head().ID.String()}}, text)...)
	}
	store(t, conn, &nats.Msg{Subject: "swarmbus.log.t.%%.e", Header: nats.Header{"Swarmbus-Envelope": {"3"}}, Data: data})
	if r := must(t, agent(t, l, "a"), found("t", "the next")); natsbus.StreamSequence(r.Seq) != 2 {
		t.Errorf("the number %d is of message %d", r.Seq, natsbus.StreamSequence(r.Seq))
	}
	if n := len(lines(t, l.Bus())); n != 1701 || l.Stats().Dead[natsbus.Malformed] != 2 {
		t.Errorf("%d signals, %v", n, l.Stats().Dead)
	}
}
