package cassette

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
)

// A Memory is that of a swarm: what a solve begins with, and what it adds.
type Memory interface {
	Brief(ctx context.Context, task signals.Task) ([]signals.Any, error)
	Keep(ctx context.Context, log []signals.Any, group string) error
}

// Remembers returns a memory that recalls what is on record, or else what m does. If m is nil,
// it keeps nothing, and what is not on record is a [*journal.MissError].
func Remembers(m Memory, by journal.Caller) Memory { return remembered{m, by} }

type remembered struct {
	memory Memory
	by     journal.Caller
}

// recalled is the record of what a solve began with.
type recalled struct {
	Known []fact `json:"known"`
}

type fact struct {
	Confidence float64        `json:"confidence"`
	Fact       signals.Memory `json:"fact"`
}

// Brief implements [Memory].
func (r remembered) Brief(ctx context.Context, task signals.Task) ([]signals.Any, error) {
	about, err := json.Marshal(task)
	if err != nil {
		return nil, err
	}
	key := journal.Key{Agent: "memory", Request: journal.HashRequest(about)}
	text, err := r.by.Do(ctx, key, func(ctx context.Context) ([]byte, error) {
		known, err := r.memory.Brief(ctx, task)
		if err != nil {
			return nil, err
		}
		return writeKnown(known)
	})
	if err != nil {
		return nil, err
	}
	return readKnown(text)
}

// Keep implements [Memory].
func (r remembered) Keep(ctx context.Context, log []signals.Any, group string) error {
	if r.memory == nil {
		return nil
	}
	return r.memory.Keep(ctx, log, group)
}

func writeKnown(all []signals.Any) ([]byte, error) {
	var to recalled
	for _, s := range all {
		p, ok := s.Body().(signals.Memory)
		if !ok {
			return nil, fmt.Errorf("cassette: a memory recalled a %s, which is no fact", s.Kind())
		}
		to.Known = append(to.Known, fact{s.Head().Confidence, p})
	}
	return json.Marshal(to)
}

func readKnown(text []byte) (all []signals.Any, err error) {
	var from recalled
	if err := json.Unmarshal(text, &from); err != nil {
		return nil, fmt.Errorf("cassette: the record of what was recalled: %w", err)
	}
	for _, f := range from.Known {
		all = append(all, signals.New(signals.Header{Confidence: f.Confidence}, f.Fact))
	}
	return all, nil
}
