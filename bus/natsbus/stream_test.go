package natsbus

import (
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// A stream that somebody else made, or changed, is refused where a promise depends on it.
func TestStreamThatBreaksAPromiseIsRefusedByItsSetting(t *testing.T) {
	t.Parallel()
	o, err := (Options{Storage: Storage{Replicas: 3}}).withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	want := o.streamConfig("swarmbus")
	for setting, change := range map[string]func(c *jetstream.StreamConfig){
		"":                             func(c *jetstream.StreamConfig) { c.MaxMsgs, c.Replicas = 100, 5 }, // limits are the operator's
		"num_replicas":                 func(c *jetstream.StreamConfig) { c.Replicas = 1 },
		"storage":                      func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage },
		"retention":                    func(c *jetstream.StreamConfig) { c.Retention = jetstream.WorkQueuePolicy },
		"discard":                      func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardNew },
		"deny_delete":                  func(c *jetstream.StreamConfig) { c.DenyDelete = false },
		"deny_purge":                   func(c *jetstream.StreamConfig) { c.DenyPurge = false },
		"persist_mode":                 func(c *jetstream.StreamConfig) { c.PersistMode = jetstream.AsyncPersistMode },
		"no_ack":                       func(c *jetstream.StreamConfig) { c.NoAck = true },
		"metadata swarmbus.format":     func(c *jetstream.StreamConfig) { c.Metadata[metaFormat] = "0" },
		"metadata swarmbus.remember":   func(c *jetstream.StreamConfig) { c.Metadata[metaRemember] = "8192" },
		"metadata swarmbus.partitions": func(c *jetstream.StreamConfig) { c.Metadata[metaPartitions] = "2" },
	} {
		got := o.streamConfig("swarmbus")
		change(&got)
		switch wrong := firstWrong(logSettings(&got, &want)); {
		case setting == "" && wrong != nil:
			t.Error(wrong)
		case setting != "" && (wrong == nil || wrong.Setting != setting || wrong.Why == ""):
			t.Errorf("%s: %v", setting, wrong)
		}
	}
}
