// Package droppedcommit moves money.
package droppedcommit

import (
	"context"
	"database/sql"
)

// Pay moves an amount to an account.
func Pay(ctx context.Context, db *sql.DB, account, amount int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE accounts SET balance = balance + ? WHERE id = ?", amount, account); err != nil {
		return tx.Rollback()
	}
	tx.Commit()
	return nil
}
