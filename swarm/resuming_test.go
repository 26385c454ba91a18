package swarm_test

import (
	"errors"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A droppingStore drops the oldest records once a caller has asked what is dropped.
type droppingStore struct {
	journal.Store
	drop func(journal.Store)
}

func (d *droppingStore) Snapshot() (journal.Snapshot, error) {
	s, err := d.Store.Snapshot()
	if drop := d.drop; drop != nil {
		d.drop = nil
		drop(d.Store)
	}
	return s, err
}

func TestASolveIsResumedWhileOlderOnesAreDropped(t *testing.T) {
	j := &droppingStore{Store: new(journal.Memory)}
	o := swarm.Options{Agents: torn(), Journal: j, Conflicts: settle.ByEscalation, Quorum: 1}
	s := startOn(t, o)
	for task := range 3 {
		if _, err := s.Resume(t.Context(), ask(t, s, task).Log, vote("a", yes, 1)); err != nil {
			t.Fatal(err)
		}
	}
	r := ask(t, s, 3)
	j.drop = func(inner journal.Store) {
		if retain(t, inner, journal.Retention{Bytes: 1}) == 0 {
			t.Error("nothing was dropped")
		}
	}
	if _, err := s.Resume(t.Context(), r.Log, vote("a", yes, 1)); err != nil {
		t.Error(err)
	}
	startAgain(t, s, o)
}

func TestNothingOfASolveIsDroppedWhileItIsResumed(t *testing.T) {
	o := swarm.Options{Agents: stuck(), Journal: new(journal.Memory), Quorum: 2}
	s := startOn(t, o)
	r := ask(t, s, 1)
	ask(t, s, 2)
	bound := journal.Retention{Bytes: 1}
	rounds := 0
	for e, err := range s.StreamResume(t.Context(), r.Log, vote("a", yes, 1)) {
		if err != nil {
			t.Fatal(err)
		}
		switch e.(type) {
		case solves.Started, solves.Spoke:
			if dropped, err := s.Retain(bound); rounds == 0 && (dropped > 0 || !errors.Is(err, swarm.ErrResuming)) {
				t.Errorf("%T: %d dropped, %v", e, dropped, err)
			}
		case solves.RoundStarted:
			rounds++
			if dropped, err := s.Retain(bound); dropped > 0 || err != nil {
				t.Errorf("in a round: %d dropped, %v", dropped, err)
			}
		case solves.Stopped:
			if rounds == 0 {
				t.Error("it did not go on")
			}
		}
	}
	s = startAgain(t, s, o)
	if _, err := s.Resume(t.Context(), r.Log, vote("a", yes, 1)); !errors.Is(err, runlog.ErrLog) {
		t.Errorf("got %v", err)
	}
	ask(t, s, 3)
	if dropped, err := s.Retain(bound); dropped == 0 || err != nil { // a refused one holds nothing up
		t.Errorf("%d dropped, %v", dropped, err)
	}
}
