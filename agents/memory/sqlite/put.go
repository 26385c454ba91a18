//go:build !js

package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/internal/rows"
)

// put stores facts, whose links are only ever added to.
func put(ctx context.Context, tx *sql.Tx, facts []memory.Fact, known map[string]bool) error {
	if len(facts) == 0 {
		return nil
	}
	all, err := models(ctx, tx)
	if err != nil {
		return err
	}
	p := &putter{ctx: ctx, tx: tx}
	for i := range facts {
		row, err := rows.Of(&facts[i])
		if err != nil {
			return err
		}
		p.put(&row, all, known[row.ID])
	}
	return p.close()
}

// A putter stores rows, and keeps the first error.
type putter struct {
	ctx   context.Context
	tx    *sql.Tx
	ready map[string]*sql.Stmt
	err   error
}

// exec runs a statement, which is prepared once.
func (p *putter) exec(statement string, args ...any) (done sql.Result) {
	if p.err != nil {
		return nil
	}
	if p.ready[statement] == nil {
		if p.ready == nil {
			p.ready = map[string]*sql.Stmt{}
		}
		if p.ready[statement], p.err = p.tx.PrepareContext(p.ctx, statement); p.err != nil {
			return nil
		}
	}
	done, p.err = p.ready[statement].ExecContext(p.ctx, args...)
	return done
}

// close ends the statements and returns the first error.
func (p *putter) close() error {
	for _, s := range p.ready {
		if s != nil {
			p.err = errors.Join(p.err, s.Close())
		}
	}
	return p.err
}

func (p *putter) put(r *rows.Row, all []model, known bool) {
	if known {
		p.exec("UPDATE facts SET category = ?, state = ?, time = ?, expires = ?, body = ? WHERE id = ?", r.Category, r.State, r.Time, r.Expires, r.Body, r.ID)
	} else {
		p.exec("INSERT INTO facts (category, state, time, expires, body, id) VALUES (?, ?, ?, ?, ?, ?)", r.Category, r.State, r.Time, r.Expires, r.Body, r.ID)
	}
	for _, link := range r.Links {
		p.exec("INSERT OR IGNORE INTO links (link, fact) SELECT ?, key FROM facts WHERE id = ?", link, r.ID)
	}
	for _, m := range all {
		if !known {
			p.exec("INSERT INTO pending (model, fact) SELECT ?, key FROM facts WHERE id = ?", m.key, r.ID)
		} else if m.length > 0 {
			p.exec("UPDATE "+m.table()+" SET state = ?, expires = ? WHERE fact = (SELECT key FROM facts WHERE id = ?)", r.State, r.Expires, r.ID)
		}
	}
}
