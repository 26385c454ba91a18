package host_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// Texts come from agents: a thousand long ones would be a gigabyte.
func TestAPageOfALogIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := journal.Open(filepath.Join(dir, "long.journal"), nil)
	if err != nil {
		t.Fatal(err)
	}
	const many = 40
	mint, now := signals.NewMint(), time.Unix(1, 0)
	for i := range uint64(many) {
		record, err := journal.SignalRecord(signals.New(
			signals.Header{Source: "ada", Thread: "solve-1", Time: now, TTL: -1, Confidence: 1, ID: mint.ID(i+1, now), Seq: i + 1},
			signals.Discovery{Finding: strings.Repeat("<", 60_000)},
		))
		if err == nil {
			_, err = store.Append(record)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	h, _ := open(t, dir, nil)
	got, after := 0, uint64(0)
	for pages := 1; ; pages++ {
		page, err := h.Backend().Runs.Signals(t.Context(), api.SignalsQuery{Run: "long", Limit: 1000, After: after})
		text, _ := json.Marshal(page)
		if err != nil || len(text) > 5<<20 {
			t.Fatalf("page %d: %d bytes, %v", pages, len(text), err)
		}
		got += len(page.Signals)
		if after = page.Next; after == 0 {
			break
		}
	}
	if got != many {
		t.Errorf("%d signals of %d", got, many)
	}
}
