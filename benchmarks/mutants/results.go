package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

const intro = `# Mutants

` + "`.ci/mutants [package...]`" + ` plants one small fault after the other into a copy of a
package, such as ` + "`<=` for `<` or `-` for `+`" + `, and runs the package's own tests each time
([gremlins](https://github.com/go-gremlins/gremlins) v0.6.0, its default operators).
Killed: a test failed. Timed out: the tests took more than five times as long as
without the fault. Lived: no test failed. Not covered: no test runs the line.
Equivalent: lived, but changes nothing that a caller may rely on;
[equivalents.txt](equivalents.txt) says why of each. The last column is the share that was killed or timed out,
of all that are not equivalent. Faults that do not compile are left out. Of a package marked "1 in 4",
every fourth fault was planted (` + "`MUTANTS_EVERY=4 .ci/mutants`" + `). A fault that lived counts as
killed once it was planted again and a test written for it failed; until then it is listed below.

`

const tableHead = `| package | mutants | killed | timed out | lived | not covered | equivalent | killed of the others |
| --- | --: | --: | --: | --: | --: | --: | --: |
`

const rest = "## Alive in "

// row is the package's line of the table.
func (o *outcome) row() string {
	mutants := fmt.Sprint(o.mutants)
	if o.every > 1 {
		mutants += fmt.Sprintf(", 1 in %d", o.every)
	}
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %d | %d | %.1f %% |\n",
		o.pkg, mutants, o.killed, o.timedOut, o.lived, o.bare, o.equals, o.share())
}

// section lists what is alive.
func (o *outcome) section() string {
	if len(o.alive) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n\n", rest, o.pkg)
	for _, m := range o.alive {
		fmt.Fprintf(&b, "- %s", m)
		if m.status != "LIVED" {
			fmt.Fprint(&b, ", not covered")
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// results are the contents of RESULTS.md, by package.
type results struct{ rows, sections map[string]string }

// readResults reads the previous results; a missing file has
// none.
func readResults(name string) (*results, error) {
	r := &results{map[string]string{}, map[string]string{}}
	if name == "" {
		return r, nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if pkg, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | "); ok && line[0] == '|' && pkg != "package" && pkg != "---" {
			r.rows[pkg] = line
		}
	}
	for _, section := range strings.Split(string(text), rest)[1:] {
		pkg, _, _ := strings.Cut(section, "\n")
		r.sections[pkg] = rest + strings.TrimSpace(section) + "\n"
	}
	return r, nil
}

func (r *results) set(o *outcome) {
	r.rows[o.pkg], r.sections[o.pkg] = o.row(), o.section()
}

func (r *results) String() string {
	var b strings.Builder
	b.WriteString(intro + tableHead)
	for _, pkg := range slices.Sorted(maps.Keys(r.rows)) {
		b.WriteString(r.rows[pkg])
	}
	for _, pkg := range slices.Sorted(maps.Keys(r.sections)) {
		if r.sections[pkg] != "" {
			b.WriteString("\n" + r.sections[pkg])
		}
	}
	return b.String()
}
