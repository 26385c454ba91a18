// Package broken does not type-check.
package broken

// Number is no number.
func Number() int { return "one" }

func Undocumented() { missing() }
