// Package nilmap counts words.
package nilmap

// Count returns how often each word occurs.
func Count(words []string) map[string]int {
	var counts map[string]int
	for _, w := range words {
		counts[w] = len(w)
	}
	return counts
}
