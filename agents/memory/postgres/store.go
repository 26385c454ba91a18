// Package postgres is the store of a memory in Postgres with the extension pgvector (0.8
// or later), for memories that several machines share:
//
//	store, err := postgres.Open(ctx, "postgres://user@host/db", postgres.Options{})
//
// Options.HNSW trades the certainty of finding the nearest for speed with many facts.
package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/internal/rows"
	"github.com/swarmbus/swarmbus/signals"
)

// Options of a [Store]. The zero values have the meanings given.
type Options struct {
	Schema string // of the tables, which is created; "": swarmbus_memory

	// HNSW makes an index for the vectors of each model that is new, up to 2000 numbers
	// long. Then Nearest may miss some, and does not read all. Without it, Nearest
	// compares with all vectors and misses nothing.
	HNSW bool
}

// A Store is a [memory.Store] in a schema of a database.
type Store struct {
	pool   *pgxpool.Pool
	names  *strings.Replacer // of the tables, which have an @ in statements
	lock   int64             // of the schema
	hnsw   bool
	closed atomic.Bool
}

var _ memory.Store = (*Store)(nil)

var schema = []string{
	`CREATE EXTENSION IF NOT EXISTS vector`,
	`CREATE SCHEMA IF NOT EXISTS @`,
	`CREATE TABLE IF NOT EXISTS @.facts (
		key bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, id text COLLATE "C" NOT NULL UNIQUE, category text NOT NULL,
		state int NOT NULL, time bigint NOT NULL, expires bigint NOT NULL, body text NOT NULL)`,
	`CREATE TABLE IF NOT EXISTS @.links (link text COLLATE "C", fact bigint, PRIMARY KEY (link, fact))`,
	`CREATE TABLE IF NOT EXISTS @.models (key bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text NOT NULL UNIQUE, length int NOT NULL)`,
	`CREATE TABLE IF NOT EXISTS @.pending (model bigint, fact bigint, PRIMARY KEY (model, fact))`,
}

// Open connects to the database of a URL, as pgx reads it, and creates what is missing.
// It needs the right to create the extension, unless the database has it. The context
// bounds only the opening. Errors do not contain the password.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	name := cmp.Or(o.Schema, "swarmbus_memory")
	if err := (signals.Limits{}).Name("schema", name); err != nil {
		return nil, err
	}
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	h := fnv.New64a()
	h.Write([]byte("swarmbus memory " + name))
	s := &Store{pool: pool, names: strings.NewReplacer("@", pgx.Identifier{name}.Sanitize()), lock: int64(h.Sum64()), hnsw: o.HNSW}
	err = s.write(ctx, func(tx pgx.Tx) error {
		for _, statement := range schema {
			if err := s.exec(ctx, tx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		pool.Close()
		return nil, err
	}
	return s, nil
}

// Close implements [memory.Store].
func (s *Store) Close() error {
	if !s.closed.Swap(true) {
		s.pool.Close()
	}
	return nil
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
	default:
		return fmt.Errorf("memory: %w", err)
	}
}

// write runs a transaction, one at a time in the schema.
func (s *Store) write(ctx context.Context, do func(pgx.Tx) error) error {
	return s.problem(pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := s.exec(ctx, tx, "SELECT pg_advisory_xact_lock($1)", s.lock); err != nil {
			return err
		}
		return do(tx)
	}))
}

// A querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, statement string, args ...any) (pgx.Rows, error)
}

func (s *Store) exec(ctx context.Context, tx pgx.Tx, statement string, args ...any) error {
	_, err := tx.Exec(ctx, s.names.Replace(statement), args...)
	return err
}

// facts returns the facts whose bodies a statement selects.
func (s *Store) facts(ctx context.Context, q querier, statement string, args ...any) ([]memory.Fact, error) {
	found, err := q.Query(ctx, s.names.Replace(statement), args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(found, func(row pgx.CollectableRow) (memory.Fact, error) {
		body, err := pgx.RowTo[string](row)
		if err != nil {
			return memory.Fact{}, err
		}
		return rows.Read(body)
	})
}

// Change implements [memory.Store].
func (s *Store) Change(ctx context.Context, ids []string, change func(map[string]memory.Fact) []memory.Fact) error {
	return s.write(ctx, func(tx pgx.Tx) error {
		facts, err := s.facts(ctx, tx, "SELECT body FROM @.facts WHERE id = ANY($1)", ids)
		if err != nil {
			return err
		}
		stored, known := map[string]memory.Fact{}, map[string]bool{}
		for _, f := range facts {
			stored[f.ID], known[f.ID] = f, true
		}
		return s.put(ctx, tx, change(stored), known)
	})
}

// put stores facts, whose links are only ever added to.
func (s *Store) put(ctx context.Context, tx pgx.Tx, facts []memory.Fact, known map[string]bool) error {
	var ids, categories, bodies, links, linked, fresh []string
	var states, times, expires []int64
	for i := range facts {
		r, err := rows.Of(&facts[i])
		if err != nil {
			return err
		}
		ids, categories, bodies = append(ids, r.ID), append(categories, r.Category), append(bodies, r.Body)
		states, times, expires = append(states, int64(r.State)), append(times, r.Time), append(expires, r.Expires)
		for _, link := range r.Links {
			links, linked = append(links, link), append(linked, r.ID)
		}
		if !known[r.ID] {
			fresh = append(fresh, r.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	err := s.exec(ctx, tx, `INSERT INTO @.facts (id, category, state, time, expires, body)
		SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[])
		ON CONFLICT (id) DO UPDATE SET category = excluded.category, state = excluded.state, time = excluded.time, expires = excluded.expires, body = excluded.body`,
		ids, categories, states, times, expires, bodies)
	if err == nil {
		err = s.exec(ctx, tx, `INSERT INTO @.links (link, fact) SELECT link, key FROM unnest($1::text[], $2::text[]) AS l (link, of) JOIN @.facts ON id = of
			ON CONFLICT DO NOTHING`, links, linked)
	}
	if err == nil {
		err = s.exec(ctx, tx, `INSERT INTO @.pending (model, fact) SELECT m.key, f.key FROM @.models m, @.facts f WHERE id = ANY($1)`, fresh)
	}
	return err
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
	facts, err := s.facts(ctx, s.pool, "SELECT body FROM @.facts WHERE key IN (SELECT fact FROM @.links WHERE link = ANY($1)) ORDER BY id", links)
	return facts, s.problem(err)
}

// Sweep implements [memory.Store].
func (s *Store) Sweep(ctx context.Context, now time.Time) (n int, err error) {
	err = s.write(ctx, func(tx pgx.Tx) error {
		all, err := s.models(ctx, tx)
		if err != nil {
			return err
		}
		tables := []string{"@.links", "@.pending"}
		for _, m := range all {
			if m.Length > 0 {
				tables = append(tables, m.table())
			}
		}
		at := rows.Nanos(now, math.MinInt64)
		for _, table := range tables {
			if err := s.exec(ctx, tx, "DELETE FROM "+table+" WHERE fact IN (SELECT key FROM @.facts WHERE expires <= $1)", at); err != nil {
				return err
			}
		}
		done, err := tx.Exec(ctx, s.names.Replace("DELETE FROM @.facts WHERE expires <= $1"), at)
		n = int(done.RowsAffected())
		return err
	})
	return n, err
}
