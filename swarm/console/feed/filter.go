package feed

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// A filter is a subscription in the form in which it is asked for each frame.
type filter struct {
	solves, rooms, kinds, types map[string]bool // nil: all
	text                        string
}

func newFilter(s api.Subscription) *filter {
	set := func(all []string) map[string]bool {
		if len(all) == 0 {
			return nil
		}
		m := make(map[string]bool, len(all))
		for _, each := range all {
			m[each] = true
		}
		return m
	}
	f := &filter{solves: set(s.Solves), rooms: set(s.Rooms), kinds: set(s.Kinds), types: set(s.Types)}
	for name, all := range map[string][]string{"solves": s.Solves, "rooms": s.Rooms, "kinds": s.Kinds, "types": s.Types} {
		if len(all) > 0 {
			f.text += fmt.Sprintf("%d %s ", len(all), name)
		}
	}
	return f
}

func (f *filter) selects(m *message) bool {
	if f == nil {
		return false
	}
	if f.types != nil && !f.types[m.typ] || f.kinds != nil && !f.kinds[m.kind] {
		return false
	}
	if m.typ == api.FrameRoom {
		return f.rooms == nil || f.rooms[m.inRoom]
	}
	return f.solves == nil || f.solves[m.solve]
}

// cursorOf reads positions of the form RUN:SEQ.
func cursorOf(all []string) (map[string]uint64, error) {
	cursor := map[string]uint64{}
	for _, each := range all {
		for part := range strings.SplitSeq(each, ",") {
			log, number, ok := strings.Cut(part, ":")
			seq, err := strconv.ParseUint(number, 10, 64)
			if !ok || err != nil || log == "" {
				return nil, fmt.Errorf("feed: %q is not RUN:SEQ", part)
			}
			cursor[log] = seq
		}
	}
	return cursor, nil
}
