// Package offbyone cuts lists.
package offbyone

// Last returns the last element.
func Last(all []int) int {
	return all[len(all)]
}
