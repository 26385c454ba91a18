package postgres

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/internal/rows"
)

// A model is one whose vectors are stored, in a table of their own.
type model struct {
	Key    int64
	Name   string
	Length int // of its vectors; 0: none is stored yet, and there is no table
}

func (m *model) table() string { return fmt.Sprintf("@.vectors_%d", m.Key) }

// models returns all models.
func (s *Store) models(ctx context.Context, q querier) ([]model, error) {
	found, err := q.Query(ctx, s.names.Replace("SELECT key, name, length FROM @.models ORDER BY key"))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(found, pgx.RowToStructByPos[model])
}

// modelOf returns the model with a name, or nil.
func (s *Store) modelOf(ctx context.Context, q querier, name string) (*model, error) {
	all, err := s.models(ctx, q)
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
	}
	return nil, err
}

// SetVectors implements [memory.Store].
func (s *Store) SetVectors(ctx context.Context, name string, vectors map[string][]float32) error {
	return s.write(ctx, func(tx pgx.Tx) error {
		m, err := s.modelOf(ctx, tx, name)
		if err == nil && m == nil {
			m, err = s.begin(ctx, tx, name)
		}
		if err != nil {
			return err
		}
		var all, ids, texts []string
		length := m.Length
		for _, id := range slices.Sorted(maps.Keys(vectors)) {
			all = append(all, id)
			v := vectors[id]
			if len(v) == 0 {
				continue
			}
			if err := memory.CheckVector(name, v, length); err != nil {
				return err
			}
			length = len(v)
			ids, texts = append(ids, id), append(texts, textOf(v))
		}
		if length > m.Length {
			if err := s.create(ctx, tx, m, length); err != nil {
				return err
			}
		}
		return s.setVectors(ctx, tx, m, all, ids, texts)
	})
}

// setVectors stores the vectors of facts with ids, and that all have been asked for.
func (s *Store) setVectors(ctx context.Context, tx pgx.Tx, m *model, all, ids, texts []string) error {
	const of = " fact IN (SELECT key FROM @.facts WHERE id = ANY($1))"
	err := s.exec(ctx, tx, "DELETE FROM @.pending WHERE model = $2 AND"+of, all, m.Key)
	if err == nil && m.Length > 0 {
		err = s.exec(ctx, tx, "DELETE FROM "+m.table()+" WHERE"+of, all)
	}
	if err == nil && len(ids) > 0 {
		err = s.exec(ctx, tx, "INSERT INTO "+m.table()+` (fact, vector)
			SELECT key, v::vector FROM unnest($1::text[], $2::text[]) AS t (of, v) JOIN @.facts ON id = of`, ids, texts)
	}
	return err
}

// begin stores a model, of which all vectors are pending.
func (s *Store) begin(ctx context.Context, tx pgx.Tx, name string) (*model, error) {
	m := &model{Name: name}
	row := tx.QueryRow(ctx, s.names.Replace("INSERT INTO @.models (name, length) VALUES ($1, 0) RETURNING key"), name)
	if err := row.Scan(&m.Key); err != nil {
		return nil, err
	}
	return m, s.exec(ctx, tx, "INSERT INTO @.pending (model, fact) SELECT $1::bigint, key FROM @.facts", m.Key)
}

// mostIndexed is the length of the longest vectors that pgvector makes an index for.
const mostIndexed = 2000

// create creates the table of a model's vectors.
func (s *Store) create(ctx context.Context, tx pgx.Tx, m *model, length int) error {
	m.Length = length
	err := s.exec(ctx, tx, "UPDATE @.models SET length = $1 WHERE key = $2", length, m.Key)
	if err == nil {
		err = s.exec(ctx, tx, fmt.Sprintf("CREATE TABLE %s (fact bigint PRIMARY KEY, vector vector(%d) NOT NULL)", m.table(), length))
	}
	if err == nil && s.hnsw && length <= mostIndexed {
		err = s.exec(ctx, tx, fmt.Sprintf("CREATE INDEX ON %s USING hnsw (vector vector_cosine_ops)", m.table()))
	}
	return err
}

// textOf returns a vector as the extension reads it. It keeps every bit.
func textOf(v []float32) string {
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return string(append(b, ']'))
}

// Missing implements [memory.Store].
func (s *Store) Missing(ctx context.Context, name string, most int) (facts []memory.Fact, all int, err error) {
	m, err := s.modelOf(ctx, s.pool, name)
	if err != nil {
		return nil, 0, s.problem(err)
	}
	of, args := "FROM @.facts WHERE state < $1", []any{int(memory.Revoked)}
	if m != nil {
		of, args = "FROM @.facts JOIN @.pending ON fact = key WHERE state < $1 AND model = $2", append(args, m.Key)
	}
	row := s.pool.QueryRow(ctx, s.names.Replace("SELECT count(*) "+of), args...)
	if err := row.Scan(&all); err != nil || all == 0 {
		return nil, 0, s.problem(err)
	}
	facts, err = s.facts(ctx, s.pool, fmt.Sprintf("SELECT body %s ORDER BY id LIMIT %d", of, most), args...)
	return facts, all, s.problem(err)
}

// Nearest implements [memory.Store].
func (s *Store) Nearest(ctx context.Context, name string, v []float32, f memory.Filter, k int) ([]memory.Near, error) {
	m, err := s.modelOf(ctx, s.pool, name)
	if err != nil {
		return nil, s.problem(err)
	}
	length := 0
	if m != nil {
		length = m.Length
	}
	if err := memory.CheckVector(name, v, length); err != nil || length == 0 || k <= 0 {
		return nil, err
	}
	statement, args := nearest(m, v, &f, k)
	var all []memory.Near
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if s.hnsw && length <= mostIndexed { // pgvector's search list, and more of it where the filter leaves too few
			settings := fmt.Sprintf("SELECT set_config('hnsw.ef_search', '%d', true), set_config('hnsw.iterative_scan', 'strict_order', true)", min(1000, max(200, 2*k)))
			if err := s.exec(ctx, tx, settings); err != nil {
				return err
			}
		}
		found, err := tx.Query(ctx, s.names.Replace(statement), args...)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(found, near)
		return err
	})
	slices.SortStableFunc(all, func(a, b memory.Near) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.ID, b.ID))
	})
	return all, s.problem(err)
}

// nearest returns the statement for the facts that are nearest to a vector.
func nearest(m *model, v []float32, f *memory.Filter, k int) (statement string, args []any) {
	least := memory.Quarantined
	if f.Confirmed {
		least = memory.Confirmed
	}
	args = []any{textOf(v), int(least), int(memory.Revoked), rows.Nanos(f.Now, math.MinInt64), rows.Nanos(f.Since, math.MinInt64), rows.Nanos(f.Until, math.MaxInt64)}
	of := ""
	if f.Categories != nil {
		of, args = " AND category = ANY($7)", append(args, f.Categories)
	}
	return fmt.Sprintf(`SELECT body, vector <=> $1::vector FROM %s JOIN @.facts ON key = fact
		WHERE state >= $2 AND state < $3 AND expires > $4 AND time BETWEEN $5 AND $6%s ORDER BY vector <=> $1::vector LIMIT %d`, m.table(), of, k), args
}

// near returns the fact of a row with its body and its distance.
func near(row pgx.CollectableRow) (memory.Near, error) {
	var body string
	var distance float64
	if err := row.Scan(&body, &distance); err != nil {
		return memory.Near{}, err
	}
	f, err := rows.Read(body)
	return memory.Near{Fact: f, Similarity: 1 - distance}, err
}
