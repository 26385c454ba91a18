package host

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	work "github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// system is the server itself.
type system struct{ h *Host }

// Session implements [api.System].
func (s system) Session(context.Context) (api.Session, error) {
	of := api.Session{Demo: s.h.o.Demo, Version: s.h.o.Version, Boot: s.h.o.Boot, User: runlog.Person}
	for _, d := range s.h.desks {
		if !d.IsReady() {
			of.Reading = append(of.Reading, api.Reading{Run: d.Name, Type: "solves", Share: d.log.of.Read()})
		}
	}
	if o := s.h.office; o != nil {
		if share, goesOn := o.reading(); goesOn {
			of.Reading = append(of.Reading, api.Reading{Run: o.Name, Type: "rooms", Share: share})
		}
	}
	return of, nil
}

// slow is how many signals a reader may have to read.
const slow = 1000

// Health implements [api.System].
func (s system) Health(ctx context.Context) (api.Health, error) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	of := api.Health{
		OK: true, Version: s.h.o.Version, Demo: s.h.o.Demo, Boot: s.h.o.Boot, Started: s.h.began, Now: s.h.o.Clock(), Jaeger: s.h.o.Jaeger,
		Logs: []api.LogHealth{}, Feed: s.h.o.Hub.Health(), Memory: memory.HeapAlloc, Threads: runtime.NumGoroutine(),
	}
	for _, d := range s.h.desks {
		seq, _ := d.log.book().Seq()
		health := d.Health(ctx)
		now := health.Bus
		one := api.LogHealth{Run: d.Run, Seq: seq, Problem: d.log.problem(), Published: now.Published, Held: now.Held, Account: accountOf(now.Account), Readers: []api.Reader{}}
		for _, r := range now.Readers {
			one.Readers = append(one.Readers, api.Reader{
				Name: r.Agent, Site: placeOf(r.Site), Pending: r.Account.Pending, Slow: r.Account.Pending > slow || r.Running > 0, Account: accountOf(r.Account),
			})
		}
		addPlace(&one, &health)
		of.Logs, of.OK = append(of.Logs, one), of.OK && one.Problem == ""
	}
	if o := s.h.office; o != nil {
		problem := o.problem()
		one := api.LogHealth{Run: o.Name, Seq: s.h.o.Hub.Cursor()[o.Name], Readers: []api.Reader{}, Account: o.account(ctx)}
		one.Published = max(one.Seq, o.before) - o.before
		if problem != nil {
			one.Problem = problem.Error()
		}
		health := o.health(ctx)
		addPlace(&one, &health)
		of.Logs, of.OK = append(of.Logs, one), of.OK && one.Problem == ""
	}
	return of, nil
}

// addPlace adds how a place is doing. One whose servers do not answer, or whose disk is full, is a problem.
func addPlace(l *api.LogHealth, now *work.Health) {
	l.Stream = (*api.StreamHealth)(now.Stream)
	l.Problem = cmp.Or(l.Problem, now.Outage())
}

// placeOf returns a place in a program without the directory in which it was built.
func placeOf(site string) string {
	dir, file := path.Split(filepath.ToSlash(site))
	return path.Join(path.Base(dir), file)
}

func accountOf(a bus.Account) api.Account {
	return api.Account{
		Intended: a.Intended, Delivered: a.Delivered, Filtered: a.Filtered, Pending: a.Pending, Dead: a.Dead(), Balanced: a.Balanced(),
	}
}

// Metrics implements [api.System].
func (s system) Metrics(ctx context.Context) ([]byte, error) {
	h, err := s.Health(ctx)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	family := func(name, kind, help string) {
		fmt.Fprintf(&out, "# HELP swarmbus_%s %s\n# TYPE swarmbus_%[1]s %[3]s\n", name, help, kind)
	}
	family("signals_published_total", "counter", "Signals published since the start, by run.")
	for _, l := range h.Logs {
		fmt.Fprintf(&out, "swarmbus_signals_published_total{run=%q} %d\n", l.Run, l.Published)
	}
	family("deliveries_total", "counter", "Deliveries since the start, by run and what became of them.")
	for _, l := range h.Logs {
		for _, each := range []struct {
			name string
			n    uint64
		}{{"delivered", l.Account.Delivered}, {"filtered", l.Account.Filtered}, {"dead", l.Account.Dead}} {
			fmt.Fprintf(&out, "swarmbus_deliveries_total{run=%q,result=%q} %d\n", l.Run, each.name, each.n)
		}
	}
	family("deliveries_pending", "gauge", "Deliveries that wait, by run.")
	for _, l := range h.Logs {
		fmt.Fprintf(&out, "swarmbus_deliveries_pending{run=%q} %d\n", l.Run, l.Account.Pending)
	}
	metricsOfStreams(family, &out, h.Logs)
	states := map[string]int{}
	for _, d := range s.h.desks {
		going := d.Running()
		for _, one := range d.log.book().Solves() {
			states[dress(d, going, one).State]++
		}
	}
	family("solves", "gauge", "Solves by state.")
	for _, state := range []string{api.Running, api.Waiting, api.Decided, api.Undecided, api.Interrupted, api.Failed} {
		fmt.Fprintf(&out, "swarmbus_solves{state=%q} %d\n", state, states[state])
	}
	s.metricsOfReports(family, &out)
	family("feed_clients", "gauge", "Clients of the feed.")
	fmt.Fprintf(&out, "swarmbus_feed_clients %d\n", len(h.Feed.Clients))
	family("feed_frames_total", "counter", "Frames sent to clients.")
	fmt.Fprintf(&out, "swarmbus_feed_frames_total %d\n", h.Feed.Frames)
	family("feed_resyncs_total", "counter", "How often a client was too slow.")
	fmt.Fprintf(&out, "swarmbus_feed_resyncs_total %d\n", h.Feed.Resyncs)
	family("heap_bytes", "gauge", "Bytes of the heap.")
	fmt.Fprintf(&out, "swarmbus_heap_bytes %d\n", h.Memory)
	return out.Bytes(), nil
}

// metricsOfStreams writes the counts of logs on servers, if there are any.
// metricsOfReports counts the items of workers' reports.
func (s system) metricsOfReports(family func(name, kind, help string), out *bytes.Buffer) {
	family("report_items_total", "counter", "Items of workers' reports, by run, worker, model, and what became of them: accepted, or the reason of a rejection.")
	for _, d := range s.h.desks {
		all := d.log.counts()
		for _, by := range slices.SortedFunc(maps.Keys(all), func(a, b reports.Reporter) int {
			return cmp.Or(cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Model, b.Model))
		}) {
			line := func(result string, n int) {
				fmt.Fprintf(out, "swarmbus_report_items_total{run=%q,worker=%q,model=%q,result=%q} %d\n", d.Run, by.Worker, by.Model, result, n)
			}
			line("accepted", all[by].Accepted.Total())
			for _, reason := range slices.Sorted(maps.Keys(all[by].Rejected)) {
				line(string(reason), all[by].Rejected[reason])
			}
		}
	}
}

func metricsOfStreams(family func(name, kind, help string), out *bytes.Buffer, logs []api.LogHealth) {
	logs = slices.DeleteFunc(slices.Clone(logs), func(l api.LogHealth) bool { return l.Stream == nil })
	if len(logs) == 0 {
		return
	}
	each := func(name, kind, help string, count func(*api.StreamHealth) (n uint64, known bool)) {
		family(name, kind, help)
		for _, l := range logs {
			if n, known := count(l.Stream); known {
				fmt.Fprintf(out, "swarmbus_%s{stream=%q} %d\n", name, l.Stream.Name, n)
			}
		}
	}
	each("log_connected", "gauge", "1 if there is a connection and the servers of the log answer, by stream.", func(h *api.StreamHealth) (uint64, bool) {
		if h.Connected {
			return 1, true
		}
		return 0, true
	})
	each("log_behind", "gauge", "Messages that were not read yet, by stream; absent if the servers do not answer.", func(h *api.StreamHealth) (uint64, bool) {
		if h.Behind == nil {
			return 0, false
		}
		return *h.Behind, true
	})
	each("log_alarms_total", "counter", "Differences from what other processes derived, by stream.", func(h *api.StreamHealth) (uint64, bool) { return h.Alarms, true })
	each("log_retries_total", "counter", "Messages that were sent again, by stream.", func(h *api.StreamHealth) (uint64, bool) { return h.Retried, true })
	family("log_dead_letters_total", "counter", "Messages that are not in the log, by stream and reason.")
	for _, l := range logs {
		for _, reason := range slices.Sorted(maps.Keys(l.Stream.Dead)) {
			fmt.Fprintf(out, "swarmbus_log_dead_letters_total{stream=%q,reason=%q} %d\n", l.Stream.Name, reason, l.Stream.Dead[reason])
		}
	}
}
