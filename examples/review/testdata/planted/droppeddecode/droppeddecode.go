// Package droppeddecode reads orders.
package droppeddecode

import (
	"encoding/json"
	"io"
)

// Order is an order.
type Order struct{ Amount int }

// Read reads an order.
func Read(r io.Reader) Order {
	var o Order
	_ = json.NewDecoder(r).Decode(&o)
	return o
}
