package main

import (
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

// parts of the corpus: rules were chosen on the first.
var parts = []string{"design", "held-out"}

// row shows the outcome of a sample without tools, and how it begins.
func (o outcome) row() string {
	kind := "clean"
	if !o.clean() {
		kind = o.planted + " " + o.line
	}
	return fmt.Sprintf("%-8s  %-24s  %-32s  %-15s  %-5s", o.part, o.dir, kind, o.choice, o.mark())
}

func (o outcome) mark() string {
	if o.right() {
		return "ok"
	}
	return "WRONG"
}

// rest shows the outcome with tools, and why it is wrong, or why it is without them.
func (o outcome) rest(alone outcome) string {
	why := ""
	for _, wrong := range []outcome{alone, o} {
		if !wrong.right() {
			why = wrong.why
		}
	}
	return strings.TrimRight(fmt.Sprintf("  %-15s  %-5s  %s", o.choice, o.mark(), why), " ") + "\n"
}

// summary shows what all outcomes come to.
func summary(all []outcome) string {
	var b strings.Builder
	line := func(cells ...any) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-36s  %-9s  %-9s  %-9s  %s", cells...), " ") + "\n")
	}
	line("defects named in request-changes", parts[0], parts[1], "all", "raised in clean packages")
	for _, i := range inspect.Inspectors("staticcheck", "gosec") {
		line(i.Name, found(all, i.Name, parts[0]), found(all, i.Name, parts[1]), found(all, i.Name, ""), raised(all, i.Name))
	}
	line("all", found(all, "", parts[0]), found(all, "", parts[1]), found(all, "", ""), "")
	line("clean packages refused", refused(all, parts[0]), refused(all, parts[1]), refused(all, ""), "")
	return b.String()
}

// share counts the outcomes that match, out of those that qualify.
func share(all []outcome, qualify, match func(outcome) bool) (n, of int) {
	for _, o := range all {
		if qualify(o) {
			of++
			if match(o) {
				n++
			}
		}
	}
	return n, of
}

func shown(n, of int) string { return fmt.Sprintf("%d of %d", n, of) }

// within says whether an outcome is of a part, "" for both.
func (o outcome) within(part string) bool { return part == "" || o.part == part }

// found counts the defects of an inspector ("" for all) that led to changes
// which name the line.
func found(all []outcome, inspector, part string) string {
	return shown(share(all, func(o outcome) bool {
		return o.within(part) && !o.clean() && (inspector == "" || o.planted == inspector)
	}, outcome.right))
}

// raised counts the clean packages in which an inspector has a defect standing.
func raised(all []outcome, inspector string) string {
	return shown(share(all, outcome.clean, func(o outcome) bool { return o.defect[inspector] }))
}

func refused(all []outcome, part string) string {
	return shown(share(all, func(o outcome) bool { return o.within(part) && o.clean() }, func(o outcome) bool { return !o.right() }))
}

// trackRecord is the text of tracks.txt: what each inspector is worth on the
// part of the corpus that rules were chosen on. Shares have one success and one
// failure added.
func trackRecord(all []outcome) string {
	var b strings.Builder
	for _, i := range inspect.Inspectors("staticcheck", "gosec") {
		speaks := func(o outcome) bool { return o.part == parts[0] && o.defect[i.Name] }
		right, said := share(all, speaks, func(o outcome) bool { return !o.clean() })
		found, planted := share(all, func(o outcome) bool { return o.part == parts[0] && o.planted == i.Name }, speaks)
		fmt.Fprintf(&b, "%s %.2f %.2f\n", i.Name, float64(right+1)/float64(said+2), float64(found+1)/float64(planted+2))
	}
	return b.String()
}
