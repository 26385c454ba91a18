package connectivity

import "github.com/swarmbus/swarmbus/signals"

// A Link ties an entry of the log to the layer that wrote it and to the layer's
// earlier entries, so that [Rebuild] can tell whether it has seen all that it
// needs.
type Link struct {
	Layer string `json:"layer,omitempty"` // "": the entry is a draft, which no layer has written
	After uint64 `json:"after,omitempty"` // position of the layer's previous entry; 0: none
	Since uint64 `json:"since,omitempty"` // position from which all of the layer's entries are needed to rebuild its state
}

func (k *Link) check(l signals.Limits) error {
	if k.Layer == "" { // a draft
		return nil
	}
	return l.Name("layer", k.Layer)
}

// linkOf returns the link in s itself, or nil if s is not an entry of a layer.
func linkOf(s signals.Any) *Link {
	switch s := s.(type) {
	case *signals.Signal[Transition]:
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
	if n := noteOf(s); n != nil {
		return &n.Link
	}
	return nil
}
