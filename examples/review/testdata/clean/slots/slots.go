// Package slots works on all elements at once.
package slots

import "sync"

// Map returns f of every element.
func Map(all []int, f func(int) int) []int {
	out := make([]int, len(all))
	var first error
	var once sync.Once
	var wg sync.WaitGroup
	for i, n := range all {
		wg.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					once.Do(func() { first, _ = r.(error) })
				}
			}()
			out[i] = f(n)
		})
	}
	wg.Wait()
	if first != nil {
		panic(first)
	}
	return out
}
