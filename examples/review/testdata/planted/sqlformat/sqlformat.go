// Package sqlformat finds users.
package sqlformat

import (
	"context"
	"database/sql"
	"fmt"
)

// Find returns the id of a user.
func Find(ctx context.Context, db *sql.DB, name string) (id int, err error) {
	query := fmt.Sprintf("SELECT id FROM users WHERE name = '%s'", name)
	err = db.QueryRowContext(ctx, query).Scan(&id)
	return id, err
}
