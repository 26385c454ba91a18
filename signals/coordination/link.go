package coordination

import "github.com/swarmbus/swarmbus/signals"

// A Link ties an entry of the log to the layer that wrote it and to the layer's
// earlier entries, so that a reader can tell whether it has seen all that it
// needs. Only a layer sets it.
type Link struct {
	Layer string `json:"layer,omitempty"` // "": the entry is a draft, which no layer has written
	After uint64 `json:"after,omitempty"` // position of the layer's previous entry; 0: none
	Since uint64 `json:"since,omitempty"` // position from which all of the layer's entries are needed to rebuild its state
}

// Check implements [signals.Checker].
func (k *Link) Check(l signals.Limits) error {
	if k.Layer == "" { // a draft
		return nil
	}
	return l.Name("layer", k.Layer)
}
