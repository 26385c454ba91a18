package transcript

import (
	"cmp"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// fields shows a value as a table: its fields, and how many agree on each.
func (t *page) fields(r *solves.Result) {
	all, names, values := r.Fields(), 0, 0
	path := func(f solves.Field) string { return text.Printable(cmp.Or(f.Path, "value")) }
	value := func(f solves.Field) string { return Cut(text.Printable(cmp.Or(string(f.Value), "absent")), 40) }
	for _, f := range all {
		names, values = max(names, columns(path(f))), max(values, columns(value(f)))
	}
	for _, f := range all {
		t.line("          %s  %s  %s", pad(path(f), names), pad(value(f), values), t.paint(faint, t.said(f.String())))
	}
}
