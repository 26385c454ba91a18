package bus

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// Agent returns a handle for the agent with that id. Reserved kinds
// ([signals.KindTask], [signals.KindConflict], [conflict.KindResolved],
// [signals.KindConsensus] and those of a [Layer]) cannot be published through it,
// and it is an error to list them. The id must be a valid name other than [System].
func (b *Bus) Agent(id string, p Permissions) (*Publisher, error) {
	if err := b.checkAgent(id, p); err != nil {
		return nil, err
	}
	p.CanEmit, p.Threads = slices.Clone(p.CanEmit), slices.Clone(p.Threads)
	return &Publisher{bus: b, agent: id, permissions: p}, nil
}

// Layer returns a handle with that name which may publish the given kinds and no others. From
// then on they are reserved for layers and the system: agents get a
// [*PermissionError]. So a layer has to be opened before an agent has published, unless
// another layer has reserved its kinds; otherwise Layer returns that error. Several
// layers may share kinds.
func (b *Bus) Layer(name string, kinds ...signals.Kind) (*Layer, error) {
	if err := (signals.Limits{}).Name("layer", name); err != nil {
		return nil, err
	}
	if err := b.reserve(name, kinds); err != nil {
		return nil, err
	}
	return &Layer{p: &Publisher{bus: b, agent: name, role: layerRole, permissions: Permissions{CanEmit: append([]signals.Kind{}, kinds...)}}}, nil
}

// System returns the handle of the bus's owner, which may publish everything.
// Agents do not get it.
func (b *Bus) System() *Publisher {
	return &Publisher{bus: b, agent: System, role: systemRole}
}
