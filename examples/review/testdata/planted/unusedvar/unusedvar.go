// Package unusedvar adds up.
package unusedvar

// Sum adds all numbers.
func Sum(numbers []int) int {
	total, n := 0, len(numbers)
	for _, x := range numbers {
		total += x
	}
	return total
}
