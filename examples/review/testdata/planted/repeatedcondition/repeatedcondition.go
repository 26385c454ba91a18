// Package repeatedcondition names sizes.
package repeatedcondition

// Name returns the name of a size.
func Name(n int) string {
	if n < 10 {
		return "small"
	} else if n < 100 {
		return "medium"
	} else if n < 100 {
		return "large"
	}
	return "huge"
}
