// Package samesides compares points.
package samesides

// Point is a point of the plane.
type Point struct{ X, Y int }

// Equal says whether p and q are the same point.
func (p Point) Equal(q Point) bool {
	return p.X == q.X && p.Y == p.Y
}
