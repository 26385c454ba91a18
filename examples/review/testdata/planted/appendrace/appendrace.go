// Package appendrace resolves names.
package appendrace

import "sync"

// Resolve returns the addresses of all names.
func Resolve(names []string, lookup func(string) string) []string {
	var out []string
	var wg sync.WaitGroup
	wg.Add(len(names))
	for i := range names {
		go func() {
			defer wg.Done()
			out = append(out, lookup(names[i]))
		}()
	}
	wg.Wait()
	return out
}
