package main

import (
	"fmt"
	"strings"
)

// A bound is what a figure may be at most.
type bound struct {
	of    string
	most  int
	holds []string // packages whose figures are added
	by    func(*room) int
}

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
	{"code", 2900, []string{"bus", "bus/internal/store"}, code},
	{"code", 2350, []string{"bus/connectivity"}, code},
	{"code", 1750, []string{"agents/reports", "swarm/reporting"}, code},
	{"code", 1800, []string{"examples/review", "examples/review/inspect"}, code},
	{"code", 2600, []string{"consensus"}, code},
	{"code", 2400, []string{"consensus/reliability", "consensus/reliability/internal/fit"}, code},
	{"tests", 3500, []string{"consensus/reliability", "consensus/reliability/internal/fit"}, tests},
	{"code", 2500, []string{"swarm"}, code},
	{"code", 1500, []string{"swarm/runlog"}, code},
	{"exported names", 750, []string{"signals", "bus", "agents", "swarm", "consensus", "consensus/reliability"}, names},
	{"files that a file depends on", 4, []string{"bus"}, most},
	{"files that a file depends on", 4, []string{"bus/connectivity"}, most},
	{"files that a file depends on", 4, []string{"swarm"}, most},
	{"mutual pairs of files", 13, []string{"bus"}, pairs},
	{"mutual pairs of files", 9, []string{"bus/connectivity"}, pairs},
	{"mutual pairs of files", 14, []string{"swarm"}, pairs},
	{"fields of a struct", 20, []string{"swarm"}, fields},
	{"fields of a struct", 20, []string{"bus"}, fields},
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
		if got > b.most {
			verdict, ok = "ABOVE", false
		}
		fmt.Printf("%-5s %5d of %5d  %s of %s\n", verdict, got, b.most, b.of, strings.Join(b.holds, ", "))
	}
	return ok
}
