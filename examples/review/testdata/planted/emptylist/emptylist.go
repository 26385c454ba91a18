// Package emptylist averages.
package emptylist

// Mean returns the mean of all, 0 for none.
func Mean(all []int) int {
	sum := 0
	for _, n := range all {
		sum += n
	}
	return sum / len(all)
}
