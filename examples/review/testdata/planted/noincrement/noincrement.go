// Package noincrement searches.
package noincrement

// Index returns where x is, -1 if it is nowhere.
func Index(all []int, x int) int {
	for i, j := 0, 0; i < len(all); j++ {
		if all[i] == x {
			return i
		}
	}
	return -1
}
