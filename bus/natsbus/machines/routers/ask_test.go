package routers

import (
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// A message that was asked for when the log was shorter is found in what came since; the
// same words said again later are another message.
func TestMessageThatIsAskedForAgainIsFoundInTheLog(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	r, err := rooms.New(t.Context(), &rooms.Options{Store: store, Rooms: []string{"ops", "front"}, Keys: &events.Keys{Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(t.Context()) //nolint:errcheck // nothing is written
	before := store.Last()
	want, err := r.Say(t.Context(), "ops", rooms.Message{Content: "Who is here?"})
	if err != nil {
		t.Fatal(err)
	}
	records := machines.Numbered(roomlog.Kinds()...)
	codec, err := Codec()
	if err != nil {
		t.Fatal(err)
	}
	for s, err := range journal.Signals(store, codec, 0) {
		if err != nil {
			t.Fatal(err)
		}
		records.Fold(s)
	}
	all := &Rooms{o: Options{Records: records}}
	for _, c := range []struct {
		room, text string
		after      uint64
		said       bool
	}{
		{"ops", "Who is here?", before, true},
		{"ops", "Who is here?", records.Last(), false},
		{"ops", "Who else is here?", before, false},
		{"front", "Who is here?", before, false},
	} {
		got, said, err := all.said(&request{Room: c.room, Message: rooms.Message{Content: c.text}, After: c.after})
		if err != nil || said != c.said {
			t.Errorf("%+v: said is %v, %v", c, said, err)
		}
		if said && (got.Seq != want.Seq || got.ID != want.ID || got.Priority != want.Priority) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}
