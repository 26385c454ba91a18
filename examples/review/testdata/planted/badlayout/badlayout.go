// Package badlayout reads dates.
package badlayout

import "time"

// Day reads a day.
func Day(s string) (time.Time, error) {
	return time.Parse("2006-13-02", s)
}
