// Package rowsopen says whether there are users.
package rowsopen

import (
	"context"
	"database/sql"
)

// Any says whether there is a user.
func Any(ctx context.Context, db *sql.DB) (bool, error) {
	rows, err := db.QueryContext(ctx, "SELECT 1 FROM users LIMIT 1")
	if err != nil {
		return false, err
	}
	return rows.Next(), rows.Err()
}
