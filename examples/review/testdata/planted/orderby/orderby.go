// Package orderby lists products.
package orderby

import (
	"context"
	"database/sql"
	"net/http"
)

// List returns the products in the order that the request names.
func List(ctx context.Context, db *sql.DB, r *http.Request) (*sql.Rows, error) {
	return db.QueryContext(ctx, "SELECT name FROM products ORDER BY "+r.FormValue("order"))
}
