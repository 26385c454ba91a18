package cassette_test

import (
	"context"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/cassette"
)

// purse is a model that can pay for that many calls.
type purse struct {
	*models.Scripted
	calls int
}

func (p purse) Reserve(_ context.Context, _ *models.Request, n int) (func(), bool) {
	return func() {}, n <= p.calls
}

func TestAReplayPaysForWhatTheRecordedRunCouldPayFor(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	recorder, err := journal.NewRecorder(store)
	if err != nil {
		t.Fatal(err)
	}
	real, _ := model()
	request := func(text string) *models.Request {
		return &models.Request{Messages: []models.Message{models.User(text)}, Most: 10}
	}
	check := func(what string, m models.Model) {
		t.Helper()
		for n, want := range map[int]bool{3: true, 4: false} {
			release, ok := models.Reserve(t.Context(), m, request("x"), n)
			if release(); ok != want {
				t.Errorf("%s: %d calls: got %v", what, n, ok)
			}
		}
	}
	check("recording", cassette.Model(purse{real, 3}, recorder))
	if store.Last() != 1 {
		t.Errorf("%d records, want that of what could not be paid for", store.Last())
	}
	results, err := journal.ReadResults(store)
	if err != nil {
		t.Fatal(err)
	}
	check("replay", cassette.Replay(real.ID(), results))
	check("with more money", cassette.Model(purse{real, 9}, recorder))
	if _, ok := models.Reserve(t.Context(), cassette.Replay(real.ID(), results), request("y"), 4); !ok {
		t.Error("what is not on record could not be paid for")
	}
	check("answers alone", cassette.Answers(purse{real, 3}, recorder))
	if store.Last() != 1 {
		t.Errorf("%d records after that", store.Last())
	}
}
