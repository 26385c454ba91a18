package deciding

import (
	"context"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// kept is the journal of a solve, whose signals are events of a room. Records of other types
// can be derived from them, and are not in the room.
type kept struct {
	journal.Memory
	ctx   context.Context // of the call, which is the whole use of the journal
	turn  *rooms.Turn
	ix    int
	codec *signals.Codec
}

// keptIn returns the journal of the solve with a section, read from the room.
func keptIn(ctx context.Context, turn *rooms.Turn, ix int) (*kept, error) {
	codec, err := runlog.NewCodec()
	if err != nil {
		return nil, err
	}
	k := &kept{ctx: ctx, turn: turn, ix: ix, codec: codec}
	all, err := turn.Kept(ctx, ix)
	if err != nil {
		return nil, err
	}
	for _, text := range all {
		s, err := codec.Unmarshal([]byte(text))
		if err != nil {
			return nil, err
		}
		r, err := journal.SignalRecord(s)
		if err != nil {
			return nil, err
		}
		if _, err := k.Memory.Append(r); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// Append implements [journal.Store].
func (k *kept) Append(records ...journal.Record) (last uint64, err error) {
	var said []signals.Any
	for i := range records {
		if records[i].Type != journal.TypeSignal {
			continue
		}
		s, err := records[i].Signal(k.codec)
		if err != nil {
			return 0, err
		}
		said = append(said, s)
	}
	if len(said) > 0 {
		if err := k.turn.Keep(k.ctx, k.ix, said...); err != nil {
			return 0, err
		}
	}
	return k.Memory.Append(records...)
}
