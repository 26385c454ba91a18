// Package forever builds trees.
package forever

// Tree is a binary tree.
type Tree struct{ Left, Right *Tree }

// Depth returns the depth of t.
func (t *Tree) Depth() int {
	return 1 + max(t.Depth(), t.Depth())
}
