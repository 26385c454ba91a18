// Package lockedmap fetches pages.
package lockedmap

import "sync"

// Fetch returns the pages of all addresses.
func Fetch(addresses []string, get func(string) string) map[string]string {
	var mu sync.Mutex
	pages := make(map[string]string)
	var wg sync.WaitGroup
	for _, a := range addresses {
		wg.Go(func() {
			page := get(a)
			mu.Lock()
			defer mu.Unlock()
			pages[a] = page
		})
	}
	wg.Wait()
	return pages
}
