package main

import (
	"fmt"
	"strings"
)

// A bound is what a figure may be at most.
type bound struct {
	of    string
	aim   int
	holds []string // packages whose figures are added
	by    func(*room) int

	// A figure may be above the aim, as far as it was when the reason was written.
	most int
	why  string
}

// allowed returns the greatest figure that is within the bound.
func (b *bound) allowed() int { return max(b.aim, b.most) }

func code(r *room) int  { return r.code }
func tests(r *room) int { return r.tests }
func names(r *room) int { return r.names }
func most(r *room) int  { return r.most() }
func pairs(r *room) int { return r.mutual() }

func fields(r *room) int {
	_, n := r.widest()
	return n
}

var bounds = []bound{
	{
		of: "code", aim: 2900, by: code, holds: []string{
			"bus", "bus/events", "bus/stats", "bus/internal/store", "bus/internal/backlog", "bus/internal/clock", "bus/internal/quota",
			"bus/internal/site", "bus/internal/wait", "bus/internal/watch", "bus/rules",
		},
		most: 3820, why: "by promise, as docs/packages.md lists them: subscriptions without loss, with accounts (800); a log of bounded memory, found by id, reply and time, " +
			"whose pages are used again (710); one order, layers, an outside sequencer (540); handlers that may block, panic or be slow (480); " +
			"identity and limits of agents (430); events and accounts (370); stopping and options (310); conflicts (200)",
	},
	{of: "code", aim: 2775, holds: []string{"bus/connectivity", "bus/connectivity/lifecycle", "signals/coordination"}, by: code},
	{
		of: "code", aim: 1750, holds: []string{"agents/reports", "swarm/reporting"}, by: code,
		most: 1834, why: "a report checked by its schema, one item at a time (115); claims compared by their words (90); a watcher with sliding windows (195)",
	},
	{of: "code", aim: 1800, holds: []string{"examples/review", "examples/review/inspect"}, by: code},
	{of: "code", aim: 2600, holds: []string{"consensus"}, by: code},
	{
		of: "code", aim: 2400, holds: []string{"consensus/reliability", "consensus/reliability/internal/fit"}, by: code,
		most: 2439, why: "what is known of each decision, for the choice of a mode: resolved.go (43)",
	},
	{of: "tests", aim: 3500, holds: []string{"consensus/reliability", "consensus/reliability/internal/fit"}, by: tests},
	{of: "code", aim: 2500, holds: []string{"swarm"}, by: code},
	{of: "code", aim: 1500, holds: []string{"swarm/runlog"}, by: code},
	{of: "exported names", aim: 748, holds: []string{"signals", "bus", "agents", "swarm", "consensus", "consensus/reliability"}, by: names},
	{
		of: "files that a file depends on", aim: 4, holds: []string{"bus"}, by: most,
		most: 6, why: "commit.go, where admission, the sequencer and the log meet",
	},
	{
		of: "files that a file depends on", aim: 4, holds: []string{"bus/connectivity"}, by: most,
		most: 6, why: "emit.go and decide.go read as one emission, step by step; component.go has one method for each thing that a component may do",
	},
	{
		of: "files that a file depends on", aim: 4, holds: []string{"bus/connectivity/lifecycle"}, by: most,
		most: 5, why: "thread.go applies an entry of any kind to all that a thread holds",
	},
	{
		of: "files that a file depends on", aim: 4, holds: []string{"swarm"}, by: most,
		most: 9, why: "round.go reads as one round, step by step",
	},
	{of: "mutual pairs of files", aim: 7, holds: []string{"bus"}, by: pairs},
	{of: "mutual pairs of files", aim: 1, holds: []string{"bus/connectivity", "bus/connectivity/lifecycle"}, by: pairs},
	{of: "mutual pairs of files", aim: 14, holds: []string{"swarm"}, by: pairs},
	{of: "fields of a struct", aim: 20, holds: []string{"swarm"}, by: fields},
	{of: "fields of a struct", aim: 20, holds: []string{"bus"}, by: fields},
}

// within prints every bound with its figure, and reports whether all hold.
func within(rooms map[string]*room) bool {
	ok := true
	for _, b := range bounds {
		got := 0
		for _, dir := range b.holds {
			if rooms[dir] != nil {
				got += b.by(rooms[dir])
			}
		}
		verdict := "ok"
		if got > b.allowed() {
			verdict, ok = "ABOVE", false
		}
		fmt.Printf("%-5s %5d of %5d  %s of %s\n", verdict, got, b.allowed(), b.of, strings.Join(b.holds, ", "))
		if got > b.aim {
			fmt.Printf("%-5s %5s aim %4d  %s\n", "", "", b.aim, b.why)
		}
	}
	return ok
}
