package main

import (
	"fmt"
	"strings"
)

// A bound is what a figure may be at most.
type bound struct {
	of    string
	was   int // when the aim was set
	aim   int
	holds []string // packages whose figures are added
	by    func(*room) int

	// A figure may be above the aim, as far as it was when the reason was written.
	most int
	why  string
}

// allowed returns the greatest figure that is within the bound.
func (b *bound) allowed() int { return max(b.aim, b.most) }

func most(r *room) int   { return r.most() }
func pairs(r *room) int  { return r.mutual() }
func spread(r *room) int { return r.spread() }

func fields(r *room) int {
	_, n := r.widest()
	return n
}

var bounds = []bound{
	{
		of: "files that a file depends on", was: 13, aim: 4, holds: []string{"bus"}, by: most,
		most: 12, why: "rules.go, once package bus/rules, reads and publishes as a program does, by the API in 12 files; else 6: commit.go, where admission, the sequencer and the log meet",
	},
	{
		of: "files that a file depends on", was: 22, aim: 4, holds: []string{"bus/connectivity"}, by: most,
		most: 6, why: "emit.go and decide.go read as one emission, step by step; component.go has one method for each thing that a component may do",
	},
	{
		of: "files that a file depends on", was: 22, aim: 4, holds: []string{"signals/coordination"}, by: most,
		most: 10, why: "thread.go applies an entry of any kind to all that a thread holds: 5 files; the vocabulary, which was another package, has one for each word",
	},
	{
		of: "files that a file depends on", was: 19, aim: 4, holds: []string{"swarm"}, by: most,
		most: 9, why: "round.go and finish.go read as one round and one end, step by step",
	},
	{of: "mutual pairs of files", was: 27, aim: 7, holds: []string{"bus"}, by: pairs},
	{of: "mutual pairs of files", was: 19, aim: 1, holds: []string{"bus/connectivity", "signals/coordination"}, by: pairs},
	{of: "mutual pairs of files", was: 28, aim: 4, holds: []string{"swarm"}, by: pairs},
	{of: "files with methods of a type", was: 16, aim: 8, holds: []string{"bus"}, by: spread},
	{of: "files with methods of a type", was: 14, aim: 14, holds: []string{"swarm"}, by: spread},
	{of: "fields of a struct", aim: 20, holds: []string{"swarm"}, by: fields},
	{of: "fields of a struct", aim: 20, holds: []string{"bus"}, by: fields},
}

// within prints every bound with its figure, and reports whether all hold.
func within(all map[string]*room) bool {
	ok := true
	for _, b := range bounds {
		got := 0
		for _, dir := range b.holds {
			if all[dir] == nil {
				fmt.Printf("ABOVE a bound names %s, where there is no package\n", dir)
				ok = false
				continue
			}
			got += b.by(all[dir])
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
