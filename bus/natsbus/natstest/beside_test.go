package natstest_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// Somebody made the stream of results before, with one other setting.
func TestResultsThatCouldBeReplacedAreRefused(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	l := join(t, natsbus.Options{URL: url})
	if _, err := l.Results(soon(t)); err != nil {
		t.Fatal(err)
	}
	_, js := rawClient(t, url)
	made, err := js.Stream(soon(t), "swarmbus-results")
	if err != nil {
		t.Fatal(err)
	}
	for setting, change := range map[string]func(*jetstream.StreamConfig){
		"subjects":                func(c *jetstream.StreamConfig) { c.Subjects = []string{"swarmbus.result.ann.>"} },
		"retention":               func(c *jetstream.StreamConfig) { c.Retention = jetstream.InterestPolicy },
		"max_age":                 func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour },
		"allow_msg_ttl":           func(c *jetstream.StreamConfig) { c.AllowMsgTTL = true },
		"discard":                 func(c *jetstream.StreamConfig) { c.Discard, c.DiscardNewPerSubject = jetstream.DiscardOld, false },
		"max_msgs_per_subject":    func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 2 },
		"discard_new_per_subject": func(c *jetstream.StreamConfig) { c.DiscardNewPerSubject = false },
		"allow_rollup_hdrs":       func(c *jetstream.StreamConfig) { c.AllowRollup, c.DenyPurge = true, false },
		"deny_delete":             func(c *jetstream.StreamConfig) { c.DenyDelete = false },
		"deny_purge":              func(c *jetstream.StreamConfig) { c.DenyPurge = false },
		"persist_mode":            func(c *jetstream.StreamConfig) { c.PersistMode = jetstream.AsyncPersistMode },
		"no_ack":                  func(c *jetstream.StreamConfig) { c.NoAck = true },
	} {
		if err := js.DeleteStream(soon(t), "swarmbus-results"); err != nil {
			t.Fatal(err)
		}
		config := made.CachedInfo().Config
		change(&config)
		if _, err := js.CreateStream(soon(t), config); err != nil {
			t.Fatal(setting, err)
		}
		_, err := l.Results(soon(t))
		var wrong *natsbus.ConfigError
		if !errors.As(err, &wrong) || wrong.Setting != setting+" of swarmbus-results" {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

// A lease of a process that was killed would never end.
func TestBucketWhoseLeasesDoNotEndIsRefused(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	_, js := rawClient(t, url)
	if _, err := js.CreateKeyValue(soon(t), jetstream.KeyValueConfig{Bucket: "swarmbus-leases"}); err != nil {
		t.Fatal(err)
	}
	var wrong *natsbus.ConfigError
	if _, err := join(t, natsbus.Options{URL: url}).Lease(soon(t), "solve"); !errors.As(err, &wrong) || wrong.Setting != "max_age of KV_swarmbus-leases" {
		t.Errorf("%v, want a ConfigError about max_age", err)
	}
}

// Somebody made what is beside the log before, so that it keeps less.
func TestBucketsThatKeepLessAreNamedOrRefused(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t, natstest.Options{})[0]
	url := server.URL()
	_, js := rawClient(t, url)
	for _, c := range []jetstream.StreamConfig{
		{Name: "KV_swarmbus-leases", Subjects: []string{"$KV.swarmbus-leases.>"}, MaxAge: 10 * time.Second, AllowRollup: true},
		{Name: "OBJ_swarmbus-snapshots", Subjects: []string{"$O.swarmbus-snapshots.C.>", "$O.swarmbus-snapshots.M.>"}, MaxAge: time.Hour, AllowRollup: true},
		{Name: "swarmbus-results", Subjects: []string{"swarmbus.result.>"}, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, DenyDelete: true, DenyPurge: true},
	} {
		c.Storage, c.MaxMsgsPerSubject, c.AllowDirect = jetstream.MemoryStorage, 1, true
		if _, err := js.CreateStream(soon(t), c); err != nil {
			t.Fatal(err)
		}
	}
	var told whisper
	l := join(t, natsbus.Options{URL: url, Tell: told.tell()})
	lease, err := l.Lease(soon(t), "solve")
	if err != nil {
		t.Fatal(err)
	}
	lease.Release()
	if _, err := l.Results(soon(t)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"storage of KV_swarmbus-leases is Memory, want File", "discard of KV_swarmbus-leases is DiscardOld, want DiscardNew",
		"storage of OBJ_swarmbus-snapshots is Memory", "max_age of OBJ_swarmbus-snapshots is 1h0m0s, want 0s", "storage of swarmbus-results is Memory",
	} {
		if !strings.Contains(told.text(), want) {
			t.Errorf("not told that %s:\n%s", want, told.text())
		}
	}
	strict, err := natsbus.Join(soon(t), natsbus.Options{URL: url, Storage: natsbus.Storage{Strict: true, Monitor: []string{server.Monitor()}}})
	var wrong *natsbus.ConfigError
	if err == nil {
		strict.Close()
	}
	if !errors.As(err, &wrong) || wrong.Setting != "storage of OBJ_swarmbus-snapshots" {
		t.Errorf("strict: %v", err)
	}
}
