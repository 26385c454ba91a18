// Package wrongcase compares names.
package wrongcase

// Same says whether two names are the same, whatever their case.
func Same(a, b string) bool { return a == b }
