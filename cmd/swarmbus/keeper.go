package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
)

// A keeper writes the signals published on a bus into a journal.
type keeper struct {
	file   *journal.File
	writer *journal.Writer
}

// keep writes the signals published on a bus into a new journal.
func keep(ctx context.Context, b *bus.Bus, name string) (*keeper, error) {
	path, err := runs.Make(name)
	if err != nil {
		return nil, err
	}
	f, err := journal.Open(path, nil)
	if err != nil {
		return nil, err
	}
	if f.Last() > 0 {
		return nil, errors.Join(fmt.Errorf("--journal %s already contains a run: name a new file", path), f.Close())
	}
	w, err := journal.Attach(ctx, b, f, nil)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &keeper{f, w}, nil
}

func (k *keeper) close(ctx context.Context) error {
	return errors.Join(k.writer.Close(context.WithoutCancel(ctx)), k.file.Close())
}
