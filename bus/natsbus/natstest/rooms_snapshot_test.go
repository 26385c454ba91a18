package natstest_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines/routers"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// shorten drops all messages of the office's stream but the newest one, as soon as a snapshot
// has all of them, and returns the number of that.
func shorten(t *testing.T, url string) uint64 {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(soon(t), "office")
	if err != nil {
		t.Fatal(err)
	}
	var stored struct {
		Seq uint64 `json:"seq"`
	}
	for ctx := soon(t); ; pause() {
		info, err := stream.Info(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if bucket, err := js.ObjectStore(ctx, "office-snapshots"); err == nil {
			if text, err := bucket.GetBytes(ctx, "office"); err == nil && json.Unmarshal(text, &stored) == nil && stored.Seq == info.State.LastSeq {
				config := info.Config
				config.MaxMsgs = 1
				if _, err := js.UpdateStream(ctx, config); err != nil {
					t.Fatal(err)
				}
				return stored.Seq
			}
		}
	}
}

// What was said is in the snapshot alone. A process that knows nothing runs the rooms as one
// that was there from the beginning.
func TestRoomsGoOnFromASnapshotAfterTheStreamDroppedSignals(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t, natstest.Options{})[0]
	args := []string{"rooms", officeFile, "--nats", server.URL(), "--keys", filepath.Join(t.TempDir(), "keys"), "--stream", "office", "--snapshots", "100ms"}
	first := startTalk(t, args...)
	first.sees(t, "this process runs the rooms")
	for _, said := range []string{"Who is here?", "Is the backup whole?"} {
		first.types(t, said)
		first.types(t, "/wait")
	}
	first.types(t, "/heads")
	first.sees(t, "front=")
	at := shorten(t, server.URL())
	_ = first.cmd.Process.Kill()
	second := startTalk(t, args...)
	second.sees(t, "this process runs the rooms")
	second.types(t, "What does it cost?")
	second.types(t, "/wait")
	second.types(t, "/heads")
	second.sees(t, "front=")
	shorten(t, server.URL())

	codec, err := routers.Codec()
	if err != nil {
		t.Fatal(err)
	}
	records := machines.Numbered(roomlog.Kinds()...)
	all := natsbus.Options{URL: server.URL(), Stream: "office", Codec: codec, Reserved: routers.Reserved(), Digest: records.Fold, Over: func(string) bool { return true }}
	late := join(t, all)
	if late.Stats().First <= at || late.Lacks(roomlog.Kinds()...) {
		t.Errorf("it began with message %d; it lacks what was said: %v", late.Stats().First, late.Lacks(roomlog.Kinds()...))
	}
	got := inRooms(t, records)
	want := alone(t, [2]string{"ops", "Who is here?"}, [2]string{"ops", "Is the backup whole?"}, [2]string{"ops", "What does it cost?"})
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	// A snapshot that leaves the rooms out is of no use to them.
	second.types(t, "/quit")
	_ = second.cmd.Wait()
	if err := late.Snapshot(soon(t)); err != nil {
		t.Fatal(err)
	}
	if l := join(t, all); !l.Lacks(roomlog.Kinds()...) || l.Lacks(signals.KindVote) {
		t.Errorf("lacks rooms: %v, votes: %v", l.Lacks(roomlog.Kinds()...), l.Lacks(signals.KindVote))
	}
	third := startTalk(t, args...)
	third.sees(t, "the journal is not whole")
}
