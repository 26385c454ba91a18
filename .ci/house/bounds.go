package main

import (
	"fmt"
	"slices"
	"strings"
)

// A bound is what a figure may be at most.
type bound struct {
	of    string
	was   int // when the aim was set
	aim   int
	holds []string // packages whose figures are added; dir/... is all below it, as far as no other one is named
	not   []string // of those: packages that have a bound of their own, or none
	by    func(*room) int

	// A figure may be above the aim, as far as it was when the reason was written.
	most int
	why  string
}

// allowed returns the greatest figure that is within the bound.
func (b *bound) allowed() int { return max(b.aim, b.most) }

func code(r *room) int   { return r.code }
func tests(r *room) int  { return r.tests }
func names(r *room) int  { return r.names }
func most(r *room) int   { return r.most() }
func pairs(r *room) int  { return r.mutual() }
func spread(r *room) int { return r.spread() }

func fields(r *room) int {
	_, n := r.widest()
	return n
}

var bounds = []bound{
	{
		of: "code", was: 3855, aim: 2900, by: code, holds: []string{"bus/..."}, not: []string{"bus/connectivity/...", "bus/journal/...", "bus/natsbus/...", "bus/bustest"},
		most: 3850, why: "by promise, as docs/packages.md lists them: subscriptions without loss, with accounts (800); a log of bounded memory, found by id, reply and time, " +
			"whose pages are used again (710); one order, layers, an outside sequencer (565); handlers that may block, panic or be slow (480); " +
			"identity and limits of agents (430); events and accounts (370); stopping and options (310); conflicts (200)",
	},
	{
		of: "code", was: 3054, aim: 2350, holds: []string{"bus/connectivity/...", "signals/coordination"}, by: code,
		most: 2805, why: "a layer and the fold of its log are apart, so that readers of a log have the fold alone; a layer follows a log that others write, too; members, audiences, inboxes and convergence each are a promise of their own",
	},
	{
		of: "code", was: 2261, aim: 1750, holds: []string{"agents/reports", "swarm/reporting"}, by: code,
		most: 1835, why: "a report checked by its schema, one item at a time (115); claims compared by their words (90); a watcher with sliding windows (195)",
	},
	{of: "code", was: 3413, aim: 1800, holds: []string{"examples/review/..."}, by: code},
	{of: "code", aim: 2600, holds: []string{"consensus"}, by: code},
	{
		of: "code", aim: 2400, holds: []string{"consensus/reliability/..."}, by: code,
		most: 2439, why: "what is known of each decision, for the choice of a mode: resolved.go (43)",
	},
	{of: "tests", aim: 3500, holds: []string{"consensus/reliability/..."}, by: tests},
	{of: "code", aim: 2350, holds: []string{"swarm"}, by: code},
	{of: "code", aim: 1500, holds: []string{"swarm/runlog"}, by: code},
	{of: "exported names", was: 1118, aim: 750, holds: []string{"signals", "bus", "agents", "swarm", "consensus", "consensus/reliability"}, by: names},
	{
		of: "files that a file depends on", was: 13, aim: 4, holds: []string{"bus"}, by: most,
		most: 6, why: "commit.go, where admission, the sequencer and the log meet",
	},
	{
		of: "files that a file depends on", was: 22, aim: 4, holds: []string{"bus/connectivity"}, by: most,
		most: 6, why: "emit.go and decide.go read as one emission, step by step; component.go has one method for each thing that a component may do",
	},
	{
		of: "files that a file depends on", was: 22, aim: 4, holds: []string{"bus/connectivity/lifecycle"}, by: most,
		most: 5, why: "thread.go applies an entry of any kind to all that a thread holds",
	},
	{
		of: "files that a file depends on", was: 19, aim: 4, holds: []string{"swarm"}, by: most,
		most: 9, why: "round.go and finish.go read as one round and one end, step by step",
	},
	{of: "mutual pairs of files", was: 27, aim: 7, holds: []string{"bus"}, by: pairs},
	{of: "mutual pairs of files", was: 19, aim: 1, holds: []string{"bus/connectivity", "bus/connectivity/lifecycle"}, by: pairs},
	{of: "mutual pairs of files", was: 28, aim: 4, holds: []string{"swarm"}, by: pairs},
	{of: "files with methods of a type", was: 16, aim: 8, holds: []string{"bus"}, by: spread},
	{of: "files with methods of a type", was: 14, aim: 14, holds: []string{"swarm"}, by: spread},
	{of: "fields of a struct", aim: 20, holds: []string{"swarm"}, by: fields},
	{of: "fields of a struct", aim: 20, holds: []string{"bus"}, by: fields},
}

// rooms returns the packages of a bound, and a pattern that has none.
func (b *bound) rooms(all map[string]*room) (rooms []*room, lacks string) {
	for _, pattern := range b.holds {
		n := len(rooms)
		for dir, r := range all {
			if matches(pattern, dir) && !slices.ContainsFunc(b.not, func(not string) bool { return matches(not, dir) }) {
				rooms = append(rooms, r)
			}
		}
		if len(rooms) == n {
			return nil, pattern
		}
	}
	return rooms, ""
}

func matches(pattern, dir string) bool {
	below, all := strings.CutSuffix(pattern, "/...")
	return dir == below || all && strings.HasPrefix(dir, below+"/")
}

// within prints every bound with its figure, and reports whether all hold.
func within(all map[string]*room) bool {
	ok := true
	for _, b := range bounds {
		rooms, lacks := b.rooms(all)
		if lacks != "" {
			fmt.Printf("a bound names %s, where there is no package\n", lacks)
			ok = false
		}
		got := 0
		for _, r := range rooms {
			got += b.by(r)
		}
		verdict := "ok"
		if got > b.allowed() {
			verdict, ok = "ABOVE", false
		}
		fmt.Printf("%-5s %5d of %5d  %s of %s", verdict, got, b.allowed(), b.of, strings.Join(b.holds, ", "))
		if b.was > 0 {
			fmt.Printf(", was %d", b.was)
		}
		fmt.Println()
		if got > b.aim {
			fmt.Printf("%-5s %5s aim %4d  %s\n", "", "", b.aim, b.why)
		}
	}
	return ok
}
