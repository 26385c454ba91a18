// Package errgroupsum sums up pages.
package errgroupsum

import "sync"

// Total returns the sum of the sizes of all pages.
func Total(pages []string, size func(string) (int, error)) (int, error) {
	var (
		wg    sync.WaitGroup
		total int
		last  error
	)
	for _, p := range pages {
		wg.Add(1)
		go func(page string) {
			defer wg.Done()
			n, err := size(page)
			if err != nil {
				last = err
				return
			}
			total += n
		}(p)
	}
	wg.Wait()
	return total, last
}
