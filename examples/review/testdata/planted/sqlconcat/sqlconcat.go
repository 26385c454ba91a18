// Package sqlconcat deletes orders.
package sqlconcat

import "database/sql"

// Delete deletes the orders of a customer.
func Delete(db *sql.DB, customer string) error {
	_, err := db.Exec("DELETE FROM orders WHERE customer = '" + customer + "'")
	return err
}
