// Package password opens the database.
package password

import "database/sql"

const dbPassword = "Tr0ub4dor&3-horse!"

// Open opens the database.
func Open() (*sql.DB, error) {
	return sql.Open("postgres", "user=app password="+dbPassword)
}
