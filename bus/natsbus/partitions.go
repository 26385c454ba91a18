package natsbus

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/swarmbus/swarmbus/signals"
)

// PartitionOf returns the name of the stream that has a thread if a log is spread over so
// many partitions. The first partition has the name of the log.
func PartitionOf(stream, thread string, partitions int) string {
	return partition(stream, indexOf(thread, partitions))
}

func indexOf(thread string, partitions int) int {
	h := fnv.New64a()
	h.Write([]byte(thread))
	return int(h.Sum64() % uint64(max(partitions, 1)))
}

func partition(stream string, i int) string {
	if i == 0 {
		return stream
	}
	return stream + "-" + strconv.Itoa(i)
}

// Partitions are the logs of all partitions of a log, each with a bus of its own. Signals
// of one thread are in one of them, in one order; there is no order between the partitions.
type Partitions []*Log

// JoinAll is [Join] for a process that reads all partitions. A digest is of one log, so that
// digest makes that of each partition, from 0 on; nil: there is none. [Options].Digest must be nil
// then, and Thread is not read. The other options are for each partition.
func JoinAll(ctx context.Context, o Options, digest func(partition int) func(signals.Any) []byte) (Partitions, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if o.Digest != nil {
		return nil, fmt.Errorf("%w: Digest is set: JoinAll takes a function that makes one for each partition", ErrOption)
	}
	var all Partitions
	for i := range o.Partitions {
		if digest != nil {
			o.Digest = digest(i)
		}
		l, err := joinStream(ctx, o, partition(o.Stream, i))
		if err != nil {
			all.Close()
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// Has reports whether the log is the one that has a thread: with one partition, it has all.
func (l *Log) Has(thread string) bool {
	return PartitionOf(l.opts.Stream, thread, l.opts.Partitions) == l.name
}

// Of returns the log that has a thread.
func (p Partitions) Of(thread string) *Log { return p[indexOf(thread, len(p))] }

// Close leaves all logs.
func (p Partitions) Close() {
	for _, l := range p {
		l.Close()
	}
}
