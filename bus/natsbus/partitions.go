package natsbus

import (
	"context"
	"hash/fnv"
	"strconv"
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

// JoinAll is [Join] for a process that reads all partitions. [Options].Thread and its Bus are
// for each of them.
func JoinAll(ctx context.Context, o Options) (Partitions, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	var all Partitions
	for i := range o.Partitions {
		l, err := joinStream(ctx, o, partition(o.Stream, i))
		if err != nil {
			all.Close()
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// Of returns the log that has a thread.
func (p Partitions) Of(thread string) *Log { return p[indexOf(thread, len(p))] }

// Close leaves all logs.
func (p Partitions) Close() {
	for _, l := range p {
		l.Close()
	}
}
