package rooms_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/rooms"
)

// A process that only reads the journal gets the same state of the rooms as the router.
func TestFollowerSeesTheEventsThatTheRouterWrote(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := new(journal.Memory)
		r := build(t, rooms.Options{Store: store, Agents: []rooms.Standing{
			{Agent: says("Reed", "Yes."), Rooms: []string{"ops"}}, {Agent: says("Via", "No."), Rooms: []string{"ops", "front"}},
		}})
		f, err := rooms.NewFollower(store)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Say(t.Context(), "ops", rooms.Message{Content: "Is the backup whole?"}); err != nil {
			t.Fatal(err)
		}
		idle := make(chan error, 1)
		go func() { idle <- f.Idle(t.Context()) }()
		synctest.Wait()
		if len(idle) > 0 {
			t.Fatalf("idle while a message waits: %v", <-idle)
		}
		r.run()
		if err := <-idle; err != nil {
			t.Fatal(err)
		}
		want, err := r.Rooms(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Rooms(t.Context())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v\nrooms (-router +follower):\n%s", err, diff)
		}
		var all []uint64
		for e, err := range f.Events(t.Context(), rooms.From{Room: "ops", After: 1}) {
			if err != nil {
				t.Fatal(err)
			}
			if all = append(all, e.Seq); e.ID == want[0].Head {
				break
			}
		}
		var logged []uint64
		for e, err := range rooms.Log(store, 1) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Room == "ops" {
				logged = append(logged, e.Seq)
			}
		}
		if !slices.Equal(all, logged) || len(all) < 5 {
			t.Errorf("events %v, want %v", all, logged)
		}
	})
}
