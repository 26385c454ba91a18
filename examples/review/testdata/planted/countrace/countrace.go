// Package countrace counts matches.
package countrace

import "sync"

// Count returns how many lines match.
func Count(lines []string, match func(string) bool) int {
	n := 0
	var wg sync.WaitGroup
	for _, line := range lines {
		wg.Go(func() {
			if match(line) {
				n++
			}
		})
	}
	wg.Wait()
	return n
}
