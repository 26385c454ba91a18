package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

// termsKey is where a cassette has what its solve depends on.
var termsKey = journal.Key{Agent: "swarmbus", Request: "terms"}

// tape opens a new cassette, or that of a run that goes on. Of the terms it has what the answers depend on.
func (f *solveFlags) tape(j *job) (*journal.Recorder, error) {
	file, err := journal.Open(f.record, nil)
	if err != nil {
		return nil, err
	}
	j.tape = file
	if file.Last() > 0 && f.resume != "" {
		return journal.NewRecorder(file)
	}
	if file.Last() > 0 {
		return nil, fmt.Errorf("%s is not empty", f.record)
	}
	about := f.terms
	if about.Ledger != "" {
		if about.Starts, err = about.Ledger.read(); err != nil {
			return nil, err
		}
	}
	about.Team, about.Ledger = about.Team.Bare(), ""
	return recordTerms(file, &about)
}

// recordTerms returns a recorder for a new journal, which has the terms first.
func recordTerms(store journal.Store, terms *solveTerms) (*journal.Recorder, error) {
	by, err := journal.NewRecorder(store)
	if err == nil {
		_, err = by.Do(context.Background(), termsKey, func(context.Context) ([]byte, error) { return json.Marshal(terms) })
	}
	return by, err
}

// A notOurs says that a run is not one of swarmbus solve.
type notOurs struct{ err error }

func (e *notOurs) Error() string {
	return "the run was not recorded by swarmbus solve: its own program goes on with it, by Swarm.Resume"
}

func (e *notOurs) Unwrap() error { return e.err }

// readTerms reads what recordTerms wrote.
func readTerms(results *journal.Results, terms *solveTerms) error {
	about, err := results.Get(termsKey)
	if err != nil {
		return &notOurs{err}
	}
	err = json.Unmarshal(about, terms)
	if err == nil {
		err = terms.problem()
	}
	if err != nil {
		return &cli.StatusError{Status: cli.ExitError, Err: fmt.Errorf("the terms of the solve are damaged: %q: %w", about, err)}
	}
	return nil
}

// readTape reads a cassette into memory: a journal, or what one exports.
func readTape(path string, terms *solveTerms) (*journal.Results, journal.Reader, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	if bytes.HasPrefix(text, []byte("{")) {
		dir, err := os.MkdirTemp("", "swarmbus")
		if err != nil {
			return nil, nil, err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a copy
		path = filepath.Join(dir, "cassette")
		if err := journal.Import(path, bytes.NewReader(text)); err != nil {
			return nil, nil, err
		}
	}
	view, err := journal.NewView(path)
	if err != nil {
		return nil, nil, err
	}
	store := &journal.Memory{}
	for record, err := range view.Read(0) {
		if err == nil {
			_, err = store.Append(journal.Record{Type: record.Type, Head: bytes.Clone(record.Head), Body: bytes.Clone(record.Body)})
		}
		if err != nil {
			return nil, nil, err
		}
	}
	results, err := journal.ReadResults(store)
	if err != nil {
		return nil, nil, err
	}
	return results, store, readTerms(results, terms)
}
