// Package nilafter walks lists.
package nilafter

import "fmt"

// Node is an element of a list.
type Node struct {
	Value int
	Next  *Node
}

// Describe says what n holds.
func Describe(n *Node) string {
	if n == nil {
		return fmt.Sprintf("empty after %d", n.Value)
	}
	return fmt.Sprint(n.Value)
}
