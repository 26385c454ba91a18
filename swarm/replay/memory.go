package replay

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus/reliability"
)

// A Memory is what is known of records without the records: it stands for those that
// were dropped from a journal. Its wire form is JSON.
type Memory struct {
	Version  int                            `json:"version"`
	Numbers  map[string]uint64              `json:"numbers,omitempty"`  // greatest thread numbers, by prefix
	Learners map[string]*reliability.Ledger `json:"learners,omitempty"` // by name
	Observed map[string][]Observed          `json:"observed,omitempty"` // by thread
}

// Observed is a decision that a ledger observed.
type Observed struct {
	Learner string `json:"learner"`
	Name    string `json:"name"` // of the decision
}

const memoryVersion = 1

// memoryOf returns the memory in a snapshot; an empty one if nothing was dropped.
func memoryOf(from journal.Snapshot) (*Memory, error) {
	if from.Through == 0 {
		return &Memory{}, nil
	}
	var m Memory
	if err := json.Unmarshal(from.State, &m); err != nil || m.Version != memoryVersion {
		return nil, fmt.Errorf("replay: records up to %d were dropped, and what stands for them is not what solves.Retain puts there: %w",
			from.Through, cmp.Or(err, fmt.Errorf("version %d", m.Version)))
	}
	return &m, nil
}

// valid reports whether it has the version of this library and can be restored.
func (m *Memory) valid() bool { return m.Version == memoryVersion && m.check() == nil }

// check returns what keeps it from being restored.
func (m *Memory) check() error {
	for name, ledger := range m.Learners {
		if ledger == nil {
			return fmt.Errorf("replay: what was learned by %q is no ledger", name)
		}
	}
	for _, all := range m.Observed {
		for _, o := range all {
			if m.Learners[o.Learner] == nil {
				return fmt.Errorf("replay: what was learned by %q is missing", o.Learner)
			}
		}
	}
	return nil
}

// Memory returns what of the log so far outlives it. It shares the ledgers.
func (r *Replay) Memory() *Memory {
	m := &Memory{Version: memoryVersion, Numbers: r.numbers, Learners: r.ledgers, Observed: map[string][]Observed{}}
	for name, t := range r.threads.byName {
		for _, o := range t.observed {
			if r.ledgers[o.Learner].Holds(o.Name) {
				m.Observed[name] = append(m.Observed[name], o)
			}
		}
	}
	return m
}
