// Package reversed turns lists around.
package reversed

// Reverse turns a list around.
func Reverse(all []int) []int {
	for i := range all {
		j := len(all) - 1 - i
		all[i], all[j] = all[j], all[i]
	}
	return all
}
