// Package missingreturn grades.
package missingreturn

// Grade returns the grade for points.
func Grade(points int) string {
	switch {
	case points > 90:
		return "A"
	case points > 50:
		return "B"
	}
}
