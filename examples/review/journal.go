package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
)

// keep opens the journal that was asked for and says where it is; nil if none
// was.
func (f *flags) keep(stderr io.Writer) (journal.Store, error) {
	if f.kept == "" {
		return nil, nil
	}
	path, err := runs.Make(f.kept)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(path, nil)
	if err != nil {
		return nil, err
	}
	if j.Last() > 0 {
		return nil, errors.Join(fmt.Errorf("%s has a run already", path), j.Close())
	}
	fmt.Fprintln(stderr, "journal:", path)
	return j, nil
}
