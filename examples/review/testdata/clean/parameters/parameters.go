// Package parameters finds users.
package parameters

import (
	"context"
	"database/sql"
	"fmt"
)

const users = "users"

// Find returns the id of a user.
func Find(ctx context.Context, db *sql.DB, name string) (id int, err error) {
	const query = "SELECT id FROM " + users + " WHERE name = ?"
	if err := db.QueryRowContext(ctx, query, name).Scan(&id); err != nil {
		return 0, fmt.Errorf("user %q: %w", name, err)
	}
	return id, nil
}
