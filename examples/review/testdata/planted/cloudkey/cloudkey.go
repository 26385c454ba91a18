// Package cloudkey stores files.
package cloudkey

// Credentials are what the store asks for.
type Credentials struct{ ID, Key string }

// Default returns our credentials.
func Default() Credentials {
	accessKey := "AKIAQ3EGR7JJ4XBV2T5Z"
	return Credentials{ID: accessKey}
}
