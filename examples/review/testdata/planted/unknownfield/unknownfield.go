// Package unknownfield has people.
package unknownfield

// Person has a name.
type Person struct{ Name string }

// Label returns the label of p.
func Label(p Person) string {
	return p.Name + p.Title
}
