// Package untested has tests, but they leave much out.
package untested

// Reached is tested by way of Outer.
func Reached(n int) int { return n + 1 }

// Outer is tested.
func Outer(n int) int { return inner(n) }

func inner(n int) int { return Reached(n) }

// Constant is not tested, and has little in it to test.
func Constant() int { return 42 }

// TestsNothing is not tested, whatever its name begins with.
func TestsNothing() {}

// Classify is not tested, and should be.
func Classify(n int, names []string) string {
	for i, name := range names {
		if i == n {
			if name == "" || name == "?" {
				return "nameless"
			}
			for range name {
				if n > 10 && i > 10 {
					return "large"
				}
			}
			return name
		} else if i > n {
			return "past"
		}
	}
	return "none"
}
