package connectivity

import (
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// linkOf returns the link in s itself, or nil if s is not an entry of a layer.
func linkOf(s signals.Any) *coordination.Link {
	switch s := s.(type) {
	case *signals.Signal[coordination.Transition]:
		return &s.Payload.Link
	case *signals.Signal[Step]:
		return &s.Payload.Link
	case *signals.Signal[Requested]:
		return &s.Payload.Link
	case *signals.Signal[Members]:
		return &s.Payload.Link
	case *signals.Signal[Closed]:
		return &s.Payload.Link
	}
	if n := coordination.NoteOf(s); n != nil {
		return &n.Link
	}
	return nil
}
