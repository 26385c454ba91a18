package host

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
)

func TestARunThatIsReadHoldsUpNoOther(t *testing.T) {
	a := newArchive(t.TempDir())
	for _, run := range []string{"slow", "other"} {
		j, err := journal.Open(filepath.Join(a.dir, run+runs.Suffix), nil)
		if err == nil {
			err = j.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	over := make(chan struct{})
	a.reads["slow"] = over // another request reads it
	if book, err := a.book(t.Context(), "other"); book == nil || err != nil {
		t.Errorf("other: %v, %v", book, err)
	}
	gone, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the client has gone")
	cancel(why)
	if _, err := a.book(gone, "slow"); !errors.Is(err, why) {
		t.Errorf("slow: %v", err)
	}
	delete(a.reads, "slow")
	close(over)
	if _, err := a.book(t.Context(), "slow"); err != nil {
		t.Errorf("slow, when the other request was over: %v", err)
	}
}
