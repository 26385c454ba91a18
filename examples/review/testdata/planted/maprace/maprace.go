// Package maprace fetches pages.
package maprace

import "sync"

// Fetch returns the pages of all addresses.
func Fetch(addresses []string, get func(string) string) map[string]string {
	pages := make(map[string]string)
	var wg sync.WaitGroup
	for _, a := range addresses {
		wg.Add(1)
		go func() {
			defer wg.Done()
			pages[a] = get(a)
		}()
	}
	wg.Wait()
	return pages
}
