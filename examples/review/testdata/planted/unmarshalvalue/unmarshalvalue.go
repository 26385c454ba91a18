// Package unmarshalvalue reads points.
package unmarshalvalue

import "encoding/json"

// Point is a point.
type Point struct{ X, Y int }

// Parse reads a point.
func Parse(data []byte) (Point, error) {
	var p Point
	err := json.Unmarshal(data, p)
	return p, err
}
