package host

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/view"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// running is the journals in the directory.
type running struct{ h *Host }

// Runs implements [api.Runs].
func (r running) Runs(context.Context) ([]api.Run, error) {
	paths, err := runs.List(r.h.o.Dir)
	if err != nil {
		return nil, err
	}
	all := []api.Run{}
	for _, d := range r.h.desks {
		if d.Shared() {
			all = append(all, runOf(d))
		}
	}
	if o := r.h.office; o != nil && o.Shared != nil {
		all = append(all, o.run())
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), runs.Suffix)
		if r.h.elsewhere(name) != nil {
			continue // the log has the name of a journal
		}
		one, err := r.about(name, r.h.archive.known)
		if e := (*api.Error)(nil); errors.As(err, &e) {
			continue // its name is not one of a run
		}
		if err != nil {
			one = api.Run{Name: name, Type: "other", Problem: err.Error()}
		}
		all = append(all, one)
	}
	return all, nil
}

// Run implements [api.Runs].
func (r running) Run(_ context.Context, name string) (api.Run, error) {
	return r.about(name, r.h.archive.book)
}

// about describes a journal, by the book that open returns; nil: it has not been read.
func (r running) about(name string, open func(string) (*view.Book, error)) (api.Run, error) {
	if r.h.elsewhere(name) != nil {
		if d := r.h.desk(name); d != nil {
			return runOf(d), nil
		}
		return r.h.office.run(), nil
	}
	path, err := r.h.archive.path(name)
	if err != nil {
		return api.Run{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return api.Run{}, err
	}
	changed := info.ModTime()
	of := api.Run{Name: name, Type: "other", Bytes: info.Size(), Changed: &changed}
	if r.h.office != nil && r.h.office.Name == name {
		of.Type, of.Live = "rooms", true
		return of, nil
	}
	if d := r.h.desk(name); d != nil {
		of.Type, of.Live, of.Team, of.Problem = "solves", true, d.Name, d.log.problem()
		count(&of, d.log.book())
		return of, nil
	}
	if holder, held := journal.Locked(path); held {
		of.Writer = holder.String()
	}
	switch book, problem := open(name); {
	case problem != nil:
		of.Problem = problem.Error()
	case book != nil:
		if count(&of, book); *of.Solves > 0 {
			of.Type = "solves"
		}
	default:
		of.Type, of.Problem = typeOf(path)
	}
	return of, nil
}

// writers are those of a log of many machines.
const writers = "processes on a log of many machines"

// runOf describes a log that other processes write, too.
func runOf(d *desk) api.Run {
	of := api.Run{Name: d.Run, Type: "solves", Live: true, Team: d.Name, Writer: writers, Problem: d.log.problem()}
	count(&of, d.log.book())
	return of
}

// count says how much a book has.
func count(of *api.Run, book *view.Book) {
	all := book.Solves()
	n, said := len(all), sum(all)
	of.Solves, of.Signals = &n, &said
}

// typeOf returns what a journal has by its first signal, and why it cannot be read.
func typeOf(path string) (is, problem string) {
	from, err := journal.NewView(path)
	if err != nil {
		return "other", err.Error()
	}
	snapshot, err := from.Snapshot()
	if err != nil {
		return "other", err.Error()
	}
	for record, err := range from.Read(snapshot.Through) {
		if err != nil {
			return "other", err.Error()
		}
		if record.Type != journal.TypeSignal {
			continue
		}
		kind, _, err := record.About()
		switch {
		case err != nil:
			return "other", err.Error()
		case strings.HasPrefix(string(kind), "room."):
			return "rooms", ""
		}
		return "solves", ""
	}
	return "other", ""
}

func sum(all []api.Solve) (n int) {
	for _, s := range all {
		n += s.Signals
	}
	return n
}

// signalsOf yields the signals of a log after a position, until ctx ends.
func signalsOf(ctx context.Context, from journal.Reader, after uint64) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) {
		codec, err := newCodec()
		var snapshot journal.Snapshot
		if err == nil {
			snapshot, err = from.Snapshot()
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for s, err := range journal.Signals(from, codec, max(snapshot.Through, after)) {
			if err == nil {
				err = context.Cause(ctx)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// mostPage is how large a page of signals is, in bytes, unless it has one alone.
const mostPage = 4 << 20

// Signals implements [api.Runs].
func (r running) Signals(ctx context.Context, q api.SignalsQuery) (api.Signals, error) {
	page := api.Signals{Run: q.Run, Signals: []json.RawMessage{}}
	filter := &bus.Filter{Threads: q.Thread, After: q.After, Since: q.Since, Until: q.Until, MinConfidence: q.MinConfidence, Source: q.Source}
	for _, k := range q.Kind {
		filter.Kinds = append(filter.Kinds, signals.Kind(k))
	}
	if q.ReplyTo != "" {
		id, err := signals.ParseID(q.ReplyTo)
		if err != nil {
			return page, api.NewError(http.StatusUnprocessableEntity, err.Error())
		}
		filter.ReplyTo = id
	}
	from, err := r.reader(q.Run)
	if err != nil {
		return page, err
	}
	size := 0
	for s, err := range signalsOf(ctx, from, q.After) {
		if err != nil {
			return page, err
		}
		if !journal.Matches(filter, s) {
			continue
		}
		if len(page.Signals) == q.Limit {
			return page, nil
		}
		text, err := json.Marshal(s)
		if err != nil {
			return page, err
		}
		if size += len(text); size > mostPage && len(page.Signals) > 0 {
			return page, nil
		}
		page.Signals = append(page.Signals, text)
		page.Next = s.Head().Seq
	}
	page.Next = 0
	return page, nil
}

// Replay implements [api.Runs].
func (r running) Replay(ctx context.Context, name string) (api.ReplayCheck, error) {
	from, err := r.reader(name)
	if err != nil {
		return api.ReplayCheck{Run: name}, err
	}
	return Replay(ctx, name, from, 0, nil)
}

// Replay derives the conflicts and decisions of a run anew, up to a signal (0: all), and compares
// them with its log. It calls begin first, unless that is nil, which may listen to the decisions.
func Replay(ctx context.Context, name string, from journal.Reader, to uint64, begin func(*replay.Replay)) (api.ReplayCheck, error) {
	of, began := api.ReplayCheck{Run: name}, time.Now()
	snapshot, err := from.Snapshot()
	if err != nil {
		return of, err
	}
	past, err := replay.New(snapshot)
	if err != nil {
		return of, err
	}
	defer past.Close()
	if begin != nil {
		begin(past)
	}
	for s, err := range signalsOf(ctx, from, 0) {
		if ctx.Err() != nil {
			return of, context.Cause(ctx)
		}
		if err == nil && to > 0 && s.Head().Seq > to {
			break
		}
		if err == nil {
			err = past.Next(s)
		}
		if different := (*replay.Difference)(nil); errors.As(err, &different) {
			of.Difference = &api.Difference{Seq: different.Seq, Thread: different.Thread, What: different.What, A: different.Log, B: different.Derived}
		} else if err != nil {
			of.Problem = err.Error()
		}
		if err != nil {
			break
		}
	}
	of.Identical = of.Difference == nil && of.Problem == ""
	of.Signals, of.Conflicts, of.Decisions, of.Outcomes = past.Signals, past.Conflicts, past.Decisions, past.Outcomes
	of.Millis = millis(time.Since(began))
	return of, nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Verify implements [api.Runs].
func (r running) Verify(ctx context.Context, name string, receipts bool) (api.Verification, error) {
	of := api.Verification{Run: name, Rooms: []api.RoomProof{}}
	began := time.Now()
	if log := r.h.elsewhere(name); log != nil {
		if r.h.desk(name) == nil { // rooms, whose events have a chain of their own
			of.First, of.Last = min(1, log.Last()), log.Last()
			proveRooms(&of, log, events.Pins{})
		} else {
			of.Problem = "the log is on the servers of NATS, which check what they store: there is no file to verify"
		}
		of.Millis = millis(time.Since(began))
		return of, nil
	}
	path, err := r.h.archive.path(name)
	if err != nil {
		return of, err
	}
	return Verify(ctx, name, path, events.Pins{}, receipts)
}

// Verify verifies the hashes of a run in a file, and of its rooms, of which somebody knows something
// from elsewhere. With receipts it also says what allowed each call of a tool.
func Verify(ctx context.Context, name, path string, known events.Pins, receipts bool) (api.Verification, error) {
	of, began := api.Verification{Run: name, Rooms: []api.RoomProof{}}, time.Now()
	s, problem := journal.Verify(ctx, path)
	if s != nil {
		of.First, of.Last, of.Chain, of.Torn = s.First, s.Last, hex.EncodeToString(s.Chain[:]), s.Torn
	}
	if ctx.Err() != nil {
		return of, context.Cause(ctx)
	}
	if problem != nil {
		of.Problem = problem.Error()
		return of, nil //nolint:nilerr // the problem is a part of what is returned
	}
	from, err := journal.NewView(path)
	if err != nil {
		return of, err
	}
	proveRooms(&of, from, known)
	if receipts {
		all, err := solves.Receipts(ctx, from)
		if err != nil {
			return of, err
		}
		of.Calls = receiptsOf(all)
	}
	of.Millis = millis(time.Since(began))
	return of, nil
}

func receiptsOf(all []solves.Receipt) (calls []api.CallReceipt) {
	for _, r := range all {
		call := api.CallReceipt{
			Thread: r.Thread, Agent: r.Agent, Turn: r.Turn, Call: r.Call, Tool: r.Tool, Sent: r.Sent, Record: r.Record, Rule: r.Rule,
			Question: r.Question, By: r.By, Verdict: string(r.Verdict), Shown: r.Shown, How: r.How, Problem: r.Problem, Words: r.String(),
		}
		if !r.At.IsZero() {
			call.At = &r.At
		}
		calls = append(calls, call)
	}
	return calls
}

// proveRooms verifies the chains of the rooms in a log.
func proveRooms(of *api.Verification, from journal.Reader, known events.Pins) {
	of.Whole = true
	all, problem := events.Verify(rooms.Log(from, 0), known)
	if problem != nil {
		of.Problem, of.Whole = problem.Error(), false
		return
	}
	if _, problem := rooms.Load(from); problem != nil { // records of turns are not signed: the fold refuses those that do not go with the events
		of.Problem, of.Whole = problem.Error(), false
	}
	for _, room := range all {
		proof := api.RoomProof{Room: room.Room, Events: room.Events, Head: room.Head}
		if room.Fault != nil {
			proof.Fault, of.Whole = room.Fault.Error(), false
		}
		if room.Events > 0 || room.Fault != nil {
			of.Rooms = append(of.Rooms, proof)
		}
	}
}

// Compare implements [api.Runs].
func (r running) Compare(ctx context.Context, a, b string) (api.Comparison, error) {
	one, err := solving(r).Get(ctx, a, 0)
	if err != nil {
		return api.Comparison{}, err
	}
	other, err := solving(r).Get(ctx, b, 0)
	if err != nil {
		return api.Comparison{}, err
	}
	of := api.Comparison{A: side(one), B: side(other), Rows: []api.DiffRow{}}
	n := max(len(one.Said), len(other.Said))
	for i := range n {
		row := api.DiffRow{A: at(one.Said, i), B: at(other.Said, i)}
		row.Same = row.A != nil && row.B != nil && alike(*row.A, *row.B)
		if row.Same && of.Difference == nil {
			of.Common++
			continue
		}
		if of.Difference == nil {
			of.Difference = difference(row)
		}
		if of.Rows = append(of.Rows, row); len(of.Rows) == 200 {
			break
		}
	}
	of.Identical = of.Difference == nil
	return of, nil
}

func side(s api.SolveDetail) api.Side {
	of := api.Side{Solve: s.ID, Task: s.Task, Stop: s.Stop, Answer: s.Answer, Signals: s.Signals, Rounds: s.Rounds, Cost: s.Cost}
	if s.Leader != nil {
		of.Support = s.Leader.Support
	}
	return of
}

func at(all []api.Said, i int) *api.Said {
	if i >= len(all) {
		return nil
	}
	return &all[i]
}

// alike reports whether two signals say the same, but for their ids, times and positions.
func alike(a, b api.Said) bool {
	return a.By == b.By && a.Kind == b.Kind && a.Round == b.Round && a.Text == b.Text && a.Reason == b.Reason && a.Proposal == b.Proposal &&
		a.Stance == b.Stance && a.Sure == b.Sure && slices.Equal(a.To, b.To) && (a.Weight == nil) == (b.Weight == nil) && (a.Weight == nil || *a.Weight == *b.Weight)
}

func difference(row api.DiffRow) *api.Difference {
	d := &api.Difference{What: "signal"}
	for _, each := range []struct {
		said *api.Said
		text *string
	}{{row.A, &d.A}, {row.B, &d.B}} {
		if each.said == nil {
			*each.text = "nothing more"
			continue
		}
		d.Seq = cmp.Or(d.Seq, each.said.Seq)
		*each.text = each.said.By + " " + each.said.Kind + ": " + each.said.Text
	}
	return d
}
