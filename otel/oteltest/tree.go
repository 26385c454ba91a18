package oteltest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// varying are attributes whose values differ from run to run.
var varying = map[string]bool{
	"messaging.message.id": true, "gen_ai.conversation.id": true, "exception.stacktrace": true,
	"swarmbus.deliveries.slowest": true, "swarmbus.deliveries.slowest_reader": true,
}

// Tree returns spans as text, each below its parent: name, kind, status, then
// attributes, events and links. Siblings are ordered by name, place in the log,
// reader and time; those that look alike, with all below them, are one with a
// count. What varies from run to run is shown as "…", and attributes with a
// name in hide are left out.
func Tree(spans []Span, hide ...string) string {
	f := &forest{hide: hide, byID: map[string]*Span{}, below: map[string][]*Span{}}
	for i := range spans {
		s := &spans[i]
		f.byID[s.ID] = s
	}
	for i := range spans {
		s := &spans[i]
		f.below[s.Parent] = append(f.below[s.Parent], s)
	}
	return f.siblings("", "")
}

type forest struct {
	hide  []string
	byID  map[string]*Span
	below map[string][]*Span
}

func (f *forest) siblings(parent, indent string) string {
	all := f.below[parent]
	slices.SortFunc(all, func(a, b *Span) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.seq(), b.seq()),
			cmp.Compare(a.Attributes["swarmbus.reader"], b.Attributes["swarmbus.reader"]), a.Start.Compare(b.Start))
	})
	var out strings.Builder
	var last string
	count := 0
	flush := func() {
		head, rest, _ := strings.Cut(last, "\n")
		if count > 1 {
			head += fmt.Sprintf(" ×%d", count)
		}
		if count > 0 {
			out.WriteString(head + "\n" + rest)
		}
	}
	for _, s := range all {
		text := f.span(s, indent)
		if text != last {
			flush()
			last, count = text, 0
		}
		count++
	}
	flush()
	return out.String()
}

func (f *forest) span(s *Span, indent string) string {
	head := fmt.Sprintf("%s%s %s", indent, s.Name, s.Kind)
	if s.Status != "Unset" {
		head += strings.TrimRight(" "+s.Status+" "+s.Problem, " ")
	}
	lines := []string{head}
	inner := indent + "  "
	if text := f.attributes(s.Attributes); text != "" {
		lines = append(lines, inner+". "+text)
	}
	for _, e := range s.Events {
		lines = append(lines, strings.TrimRight(inner+"! "+e.Name+" "+f.attributes(e.Attributes), " "))
	}
	lines = append(lines, f.links(s, inner)...)
	return strings.Join(lines, "\n") + "\n" + f.siblings(s.ID, inner)
}

func (f *forest) links(s *Span, indent string) []string {
	count := map[string]int{}
	for _, l := range s.Links {
		target := "?"
		if to := f.byID[l.Span]; to != nil && to.Trace == l.Trace {
			target = f.label(to)
		}
		count[indent+"> "+f.attributes(l.Attributes)+" to "+target]++
	}
	lines := slices.Sorted(maps.Keys(count))
	for i, line := range lines {
		if n := count[line]; n > 1 {
			lines[i] += fmt.Sprintf(" ×%d", n)
		}
	}
	return lines
}

// label names a span among those of its trace.
func (f *forest) label(s *Span) string {
	if seq := s.Attributes["swarmbus.seq"]; seq != "" && f.shown("swarmbus.seq") {
		return s.Name + " #" + seq
	}
	if round := s.Attributes["swarmbus.round"]; round != "" {
		return s.Name + ", round " + round
	}
	return s.Name
}

func (f *forest) shown(key string) bool { return !slices.Contains(f.hide, key) }

func (f *forest) attributes(all map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		value := all[key]
		if varying[key] {
			value = "…"
		}
		if f.shown(key) {
			parts = append(parts, key+"="+value)
		}
	}
	return strings.Join(parts, " ")
}

func (s *Span) seq() int {
	n, _ := strconv.Atoi(s.Attributes["swarmbus.seq"])
	return n
}
