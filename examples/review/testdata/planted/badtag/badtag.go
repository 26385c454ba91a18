// Package badtag has a record for JSON.
package badtag

// User is a user on the wire.
type User struct {
	Name  string `json:"name"`
	Email string `json:email`
}
