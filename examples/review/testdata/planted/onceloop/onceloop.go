// Package onceloop looks for the first even number.
package onceloop

// FirstEven returns the first even number of all.
func FirstEven(all []int) (int, bool) {
	for _, n := range all {
		if n%2 == 0 {
			return n, true
		}
		return 0, false
	}
	return 0, false
}
