package natsbus

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// reserved are the kinds of [Options].Reserved.
type reserved []signals.Kind

// String returns the kinds in one order.
func (r reserved) String() string { return fmt.Sprint(slices.Sorted(slices.Values(r))) }

// in reports whether one of the signals has such a kind.
func (r reserved) in(all []signals.Any) bool {
	return slices.ContainsFunc(all, func(s signals.Any) bool { return slices.Contains(r, s.Kind()) })
}

// speakers returns who says signals that are one message: their sources, or the system.
func (r reserved) speakers(all []signals.Any) (names []string) {
	if r.in(all) {
		return []string{bus.System}
	}
	for _, s := range all {
		if source := s.Head().Source; !slices.Contains(names, source) {
			names = append(names, source)
		}
	}
	return names
}
