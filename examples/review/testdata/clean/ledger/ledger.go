// Package ledger moves money.
package ledger

import (
	"context"
	"database/sql"
	"errors"
)

// Pay moves an amount to an account.
func Pay(ctx context.Context, db *sql.DB, account, amount int) (err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	if _, err = tx.ExecContext(ctx, "UPDATE accounts SET balance = balance + ? WHERE id = ?", amount, account); err != nil {
		return err
	}
	return tx.Commit()
}
