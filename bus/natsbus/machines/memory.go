package machines

import (
	"context"
	"sync"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// A Memory is what a process knows of the facts that were stated on a log, in whatever
// process: before it is asked, it learns those that it does not have. So the memories of all
// processes are folds of one log, each in a store of its own, or in one for all. To learn a
// fact twice does no harm.
type Memory struct {
	Team []*agents.Agent // whose groups count for facts; set it before the memory is used

	known swarm.Memory
	from  *Records
	codec *signals.Codec

	mu      sync.Mutex // protects the fields below
	at      uint64     // number of the last record that was learned
	threads map[string][]signals.Any
}

var _ swarm.Memory = (*Memory)(nil)

// NewMemory returns a memory that learns the facts of the records of a log. Kinds are those
// of the program.
func NewMemory(known swarm.Memory, from *Records, kinds ...signals.Registration) (*Memory, error) {
	codec, err := Codec(kinds...)
	return &Memory{known: known, from: from, codec: codec, threads: map[string][]signals.Any{}}, err
}

// Brief implements [swarm.Memory].
func (m *Memory) Brief(ctx context.Context, task signals.Task) ([]signals.Any, error) {
	if err := m.Learn(ctx); err != nil {
		return nil, err
	}
	return m.known.Brief(ctx, task)
}

// Keep implements [swarm.Memory].
func (m *Memory) Keep(ctx context.Context, log []signals.Any, group string) error {
	return m.known.Keep(ctx, log, group)
}

// Learn learns the facts of the log that the memory does not have yet.
func (m *Memory) Learn(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for s, err := range journal.Signals(m.from, m.codec, m.at) {
		if err == nil {
			err = m.learnLocked(ctx, s)
		}
		if err != nil {
			return err
		}
		m.at = s.Head().Seq
	}
	return nil
}

func (m *Memory) learnLocked(ctx context.Context, s signals.Any) error {
	thread := s.Head().Thread
	log := append(m.threads[thread], s)
	if k := s.Kind(); k == signals.KindDiscovery || k == signals.KindMemory {
		if err := m.known.Keep(ctx, log, m.group(s.Head().Source)); err != nil {
			return err
		}
	}
	m.threads[thread] = log
	return nil
}

func (m *Memory) group(source string) string {
	for _, a := range m.Team {
		if a.ID == source {
			return a.Group
		}
	}
	return ""
}
