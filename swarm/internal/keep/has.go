package keep

import (
	"context"
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Has refuses a log that is not completely in the journal, with a wrapped
// [runlog.ErrLog]: decisions on it could not be derived from the journal.
func (k *Keeper) Has(ctx context.Context, log []signals.Any) error {
	last := log[len(log)-1].Head()
	if err := k.writer.Sync(ctx, last.Seq); err != nil {
		return fmt.Errorf("swarm: %w", err)
	}
	for {
		missing, err := k.missing(log)
		var dropped *journal.DroppedError
		switch {
		case errors.As(err, &dropped):
			continue // dropped by retention meanwhile
		case err != nil:
			return fmt.Errorf("swarm: %w", err)
		case missing > 0:
			return fmt.Errorf("%w: the journal does not have %d of its %d signals: they were dropped, or are another journal's", runlog.ErrLog, missing, len(log))
		}
		return nil
	}
}

// missing returns how many signals of a log the journal does not have.
func (k *Keeper) missing(log []signals.Any) (int, error) {
	snapshot, err := k.of.Journal.Snapshot()
	if err != nil {
		return 0, err
	}
	for said, err := range journal.Signals(k.of.Journal, k.codec, snapshot.Through) {
		if err != nil {
			return 0, err
		}
		if h := said.Head(); len(log) > 0 && h.ID == log[0].Head().ID && h.Seq == log[0].Head().Seq {
			log = log[1:]
		}
	}
	return len(log), nil
}
