// Package forgottenerror parses pairs.
package forgottenerror

import "strconv"

// Pair reads two numbers.
func Pair(a, b string) (int, int, error) {
	x, err := strconv.Atoi(a)
	y, err := strconv.Atoi(b)
	if err != nil {
		return 0, 0, err
	}
	return x, y, nil
}
