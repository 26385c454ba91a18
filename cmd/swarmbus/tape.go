package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/swarmbus/swarmbus/bus/journal"
)

// termsKey is where a cassette has what its solve depends on.
var termsKey = journal.Key{Agent: "swarmbus", Request: "terms"}

// newTape opens a new cassette.
func newTape(path string, terms *solveTerms) (journal.Caller, func() error, error) {
	file, err := journal.Open(path, nil)
	if err != nil {
		return nil, nil, err
	}
	if file.Last() > 0 {
		return nil, nil, errors.Join(fmt.Errorf("%s has something already", path), file.Close())
	}
	by, err := journal.NewRecorder(file)
	if err == nil {
		_, err = by.Do(context.Background(), termsKey, func(context.Context) ([]byte, error) { return json.Marshal(terms) })
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return by, file.Close, nil
}

// readTape reads a cassette into memory: a journal, or what one exports.
func readTape(path string, terms *solveTerms) (*journal.Results, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(text, []byte("{")) {
		dir, err := os.MkdirTemp("", "swarmbus")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a copy
		path = filepath.Join(dir, "cassette")
		if err := journal.Import(path, bytes.NewReader(text)); err != nil {
			return nil, err
		}
	}
	view, err := journal.NewView(path)
	if err != nil {
		return nil, err
	}
	store := &journal.Memory{}
	for record, err := range view.Read(0) {
		if err == nil {
			_, err = store.Append(journal.Record{Type: record.Type, Head: bytes.Clone(record.Head), Body: bytes.Clone(record.Body)})
		}
		if err != nil {
			return nil, err
		}
	}
	results, err := journal.ReadResults(store)
	if err != nil {
		return nil, err
	}
	about, err := results.Get(termsKey)
	if err != nil {
		return nil, fmt.Errorf("this is no cassette of a solve: %w", err)
	}
	if err := json.Unmarshal(about, terms); err != nil || len(terms.Models) == 0 || terms.Agents < 1 {
		return nil, fmt.Errorf("the cassette's terms are damaged: %q", about)
	}
	return results, nil
}
