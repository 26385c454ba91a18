// Package wrongverb greets.
package wrongverb

import "fmt"

// Greet returns a greeting with the number of visits.
func Greet(name string, visits int) string {
	return fmt.Sprintf("hello %s, visit %s", name, visits)
}
