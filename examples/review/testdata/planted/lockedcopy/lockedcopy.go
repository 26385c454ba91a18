// Package lockedcopy has accounts.
package lockedcopy

import "sync"

// Account is an account.
type Account struct {
	sync.Mutex
	Balance int
}

// Snapshot returns all accounts.
func Snapshot(all map[string]*Account) []Account {
	var out []Account
	for _, a := range all {
		out = append(out, *a)
	}
	return out
}
