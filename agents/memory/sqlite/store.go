//go:build !js

// Package sqlite is the store of a memory in one SQLite file, the default:
//
//	store, err := sqlite.Open(ctx, "memory.db")
//	pool, err := memory.New(memory.Options{Store: store})
//
// Several processes may use the file at once; what Change or SetVectors has stored
// survives a crash of the machine. Nearest compares with all vectors of the model,
// so that it misses nothing: its time grows with their number (docs/memory.md has figures).
package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/internal/rows"
	"github.com/swarmbus/swarmbus/signals"
)

// A Store is a [memory.Store] in a file.
type Store struct {
	db     *sql.DB
	closed atomic.Bool
}

var _ memory.Store = (*Store)(nil)

var schema = layout{app: 0x73776d31, steps: []string{`
CREATE TABLE facts (
	key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, category TEXT NOT NULL,
	state INTEGER NOT NULL, time INTEGER NOT NULL, expires INTEGER NOT NULL, body TEXT NOT NULL);
CREATE TABLE links (link TEXT NOT NULL, fact INTEGER NOT NULL, PRIMARY KEY (link, fact)) WITHOUT ROWID;
CREATE TABLE models (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, length INTEGER NOT NULL); -- 0: no vector yet
CREATE TABLE pending (model INTEGER NOT NULL, fact INTEGER NOT NULL, PRIMARY KEY (model, fact)) WITHOUT ROWID; -- without a vector
`}}

// Open opens the store in a file, or creates it. The error wraps [memory.ErrCorrupt]
// if the file is damaged or something else.
func Open(ctx context.Context, path string) (*Store, error) {
	db, err := openFile(ctx, path, schema)
	if err != nil {
		return nil, (&Store{}).problem(err)
	}
	return &Store{db: db}, nil
}

// Close implements [memory.Store].
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.db.Close()
}

// problem says what an error of the database is to a user of the store.
func (s *Store) problem(err error) error {
	switch {
	case err == nil:
		return nil
	case s.closed.Load():
		return memory.ErrClosed
	case errors.Is(err, signals.ErrInvalid), errors.Is(err, memory.ErrCorrupt):
		return err
	case errors.Is(damaged(err), errCorrupt):
		return fmt.Errorf("%w: %w", memory.ErrCorrupt, err)
	default:
		return fmt.Errorf("memory: %w", err)
	}
}

// Change implements [memory.Store].
func (s *Store) Change(ctx context.Context, ids []string, change func(map[string]memory.Fact) []memory.Fact) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		facts, err := read(tx.QueryContext(ctx, "SELECT body FROM facts WHERE id IN (SELECT value FROM json_each(?))", list(ids)))
		if err != nil {
			return err
		}
		stored, known := map[string]memory.Fact{}, map[string]bool{}
		for _, f := range facts {
			stored[f.ID], known[f.ID] = f, true
		}
		return put(ctx, tx, change(stored), known)
	})
}

// write runs a transaction.
func (s *Store) write(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.problem(err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
	if err := do(tx); err != nil {
		return s.problem(err)
	}
	return s.problem(tx.Commit())
}

// read returns the facts of rows with one column, their body.
func read(found *sql.Rows, err error) (all []memory.Fact, _ error) {
	if err != nil {
		return nil, err
	}
	defer found.Close() //nolint:errcheck // Err says it
	for found.Next() {
		var body string
		if err := found.Scan(&body); err != nil {
			return nil, err
		}
		f, err := rows.Read(body)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, found.Err()
}

// list returns strings as a JSON array, for json_each.
func list(all []string) string {
	text, _ := json.Marshal(all) // strings always marshal
	return string(text)
}

// Linked implements [memory.Store].
func (s *Store) Linked(ctx context.Context, source string, from ...string) ([]memory.Fact, error) {
	var links []string
	if source != "" {
		links = append(links, rows.Source(source))
	}
	for _, id := range from {
		links = append(links, rows.From(id))
	}
	facts, err := read(s.db.QueryContext(ctx, `SELECT body FROM facts WHERE key IN
		(SELECT fact FROM links WHERE link IN (SELECT value FROM json_each(?))) ORDER BY id`, list(links)))
	return facts, s.problem(err)
}

// Sweep implements [memory.Store].
func (s *Store) Sweep(ctx context.Context, now time.Time) (n int, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		all, err := models(ctx, tx)
		if err != nil {
			return err
		}
		at := rows.Nanos(now, math.MinInt64)
		const expired = "(SELECT key FROM facts WHERE expires <= ?)"
		statements := []string{"DELETE FROM links WHERE fact IN " + expired, "DELETE FROM pending WHERE fact IN " + expired}
		for _, m := range all {
			if m.length > 0 {
				statements = append(statements, "DELETE FROM "+m.table()+" WHERE fact IN "+expired)
			}
		}
		for _, statement := range statements {
			if _, err := tx.ExecContext(ctx, statement, at); err != nil {
				return err
			}
		}
		done, err := tx.ExecContext(ctx, "DELETE FROM facts WHERE expires <= ?", at)
		if err != nil {
			return err
		}
		removed, err := done.RowsAffected()
		n = int(removed)
		return err
	})
	return n, err
}
