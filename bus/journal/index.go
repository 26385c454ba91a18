package journal

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// Select yields, in order, the records that a journal has now and that pick wants, until ctx ends. Pick is
// called once for each record, in order, with the kind and the thread of a signal; of another record the
// kind is empty, and the thread that of the [Key] of a result. Of a [View] it reads no others: the time
// that it takes depends on what it yields, but for what was written since an index was last made beside
// the journal. Damage to records that it does not read is left to [Verify].
func Select(ctx context.Context, from Reader, pick func(kind signals.Kind, thread string) bool) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if v, ok := from.(*View); ok {
			x, err := v.index(ctx)
			if err == nil {
				x.read(ctx, 0, pick, yield)
				return
			}
			if ctx.Err() != nil {
				yield(Record{}, err)
				return
			} // else the journal is damaged: what is before that is read
		}
		scan(ctx, from, pick, yield)
	}
}

type picker = func(kind signals.Kind, thread string) bool

// scan is [Select] without an index.
func scan(ctx context.Context, from Reader, pick picker, yield func(Record, error) bool) {
	snapshot, err := from.Snapshot()
	if err != nil {
		yield(Record{}, err)
		return
	}
	for r, err := range picked(ctx, from.Read(snapshot.Through), pick) {
		if !yield(r, err) {
			return
		}
	}
}

// picked yields those of some records that pick wants, until ctx ends.
func picked(ctx context.Context, all iter.Seq2[Record, error], pick picker) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for r, err := range all {
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
			kind, thread, err := whose(&r)
			if err != nil || pick(kind, thread) {
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// whose returns the kind and the thread of a record, as [Select] says it.
func whose(r *Record) (kind signals.Kind, thread string, err error) {
	switch r.Type {
	case TypeSignal:
		return r.About()
	case TypeResult:
		var k Key
		_ = json.Unmarshal(r.Head, &k) // or it is no result of a [Recorder]
		return "", k.Thread, nil
	}
	return "", "", nil
}

// OfThread returns a reader of the records of one thread, as [Select] reads them. Its readings end
// when ctx does.
func OfThread(ctx context.Context, from Reader, thread string) Reader {
	return &ofThread{Reader: from, ctx: ctx, thread: thread} //nolint:containedctx // a Reader's Read has none
}

type ofThread struct {
	Reader
	ctx    context.Context //nolint:containedctx // of its readings
	thread string
}

func (o *ofThread) is(_ signals.Kind, thread string) bool { return thread == o.thread }

// Read implements [Reader].
func (o *ofThread) Read(after uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for r, err := range Select(o.ctx, o.Reader, o.is) {
			if err == nil && r.Seq <= after {
				continue
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// Follow implements [Reader].
func (o *ofThread) Follow(ctx context.Context, after uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		v, ok := o.Reader.(*View)
		if !ok {
			picked(ctx, o.Reader.Follow(ctx, after), o.is)(yield)
			return
		}
		x, err := v.index(ctx)
		if err != nil {
			picked(ctx, v.Follow(ctx, after), o.is)(yield)
			return
		}
		if x.read(ctx, after, o.is, yield) {
			picked(ctx, func(yield func(Record, error) bool) { readAll(ctx, x, max(after, x.seq), yield) }, o.is)(yield)
		}
	}
}

// An index says where the records of a journal are, and of which thread and kind. It is derived from
// the journal, as far as the file has grown then, and never changes.
type index struct {
	*View
	head header
	place
	bodies  *bodies
	kinds   names
	threads names
	records []indexed // the n-th is record head.through + n
}

// An indexed is what an index has of a record.
type indexed struct {
	offset       int64
	kind, thread uint32
}

// names are numbered as they come.
type names struct {
	all []string
	of  map[string]uint32
}

func (n *names) number(name string) uint32 {
	i, ok := n.of[name]
	if !ok {
		if n.of == nil {
			n.of = map[string]uint32{}
		}
		i = uint32(len(n.all))
		n.all, n.of[name] = append(n.all, name), i
	}
	return i
}

// index returns the index of the journal as it is now: what is beside it, and the records since.
func (v *View) index(ctx context.Context) (*index, error) {
	r, err := v.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.f.Close() }()
	x := v.loadIndex(r)
	saved := x.offset
	if err := x.grow(ctx, r); err != nil {
		return nil, err
	}
	if x.offset-saved >= indexEvery {
		x.save()
	}
	return x, nil
}

// newIndex returns the index of a journal of which nothing was read.
func newIndex(v *View, r *reading) *index {
	return &index{View: v, head: r.head, place: place{r.head.size(), r.head.through, r.head.chain}, bodies: newBodies()}
}

// grow adds the records that the index does not have.
func (x *index) grow(ctx context.Context, r *reading) error {
	x.resume(r)
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		record, err := r.next()
		if isEnd(err) {
			return nil
		}
		if err != nil {
			return err
		}
		kind, thread, err := whose(&record)
		if err != nil {
			return err
		}
		f := indexed{r.began, x.kinds.number(string(kind)), x.threads.number(thread)}
		x.records, x.place = append(x.records, f), place{r.pos, r.seq, r.last}
	}
}

// resume has a reading go on where the index ends.
func (x *index) resume(r *reading) {
	r.pos, r.seq, r.last, r.bodies = x.offset, x.seq, x.chain, x.bodies
}

// begin implements source.
func (x *index) begin(after uint64) (*reading, error) {
	r, err := x.View.begin(after)
	if err == nil && r.head == x.head && after >= x.seq {
		x.resume(r)
	}
	return r, err
}

// read yields the picked records after a sequence number, and reports whether the caller goes on.
func (x *index) read(ctx context.Context, after uint64, pick picker, yield func(Record, error) bool) bool {
	r, err := x.open()
	if err != nil {
		yield(Record{}, err)
		return false
	}
	defer func() { _ = r.f.Close() }()
	if r.head != x.head {
		yield(Record{}, errRewritten)
		return false
	}
	r.bodies = x.bodies
	for i, at := range x.records {
		seq := x.head.through + uint64(i) + 1
		kind, thread := signals.Kind(x.kinds.all[at.kind]), x.threads.all[at.thread]
		if !pick(kind, thread) || seq <= after {
			continue
		}
		record, err := r.recordAt(at.offset, seq)
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if !yield(record, err) || err != nil {
			return false
		}
	}
	return true
}

// errRewritten says that the journal is another file than the one that was indexed.
var errRewritten = errors.New("journal: records were dropped while they were read: read again")

// fits reports whether an index that was beside the journal is of it, as far as it goes: its last record is
// the one with that hash, which is of all records before.
func (x *index) fits(r *reading) bool {
	if x.head != r.head || x.offset > r.end || x.seq != x.head.through+uint64(len(x.records)) {
		return false
	}
	if len(x.records) == 0 {
		return x.offset == x.head.size() && x.chain == x.head.chain
	}
	last := x.records[len(x.records)-1].offset
	f, _, _, err := r.check(last)
	return err == nil && f.isRecord() && f.seq == x.seq && f.chain == x.chain && last+frameSize+f.size() == x.offset &&
		slices.IsSortedFunc(x.records, func(a, b indexed) int { return int(a.offset - b.offset) })
}
