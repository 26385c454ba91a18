// Mutants reports the results of mutation tests: which of the small faults that
// gremlins planted into a package its tests found. The command that runs both
// is .ci/mutants; RESULTS.md is its last output.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	tree := flags.String("tree", ".", "the root of the module that the mutants were planted in")
	profile := flags.String("cover", "", "a cover profile of the tree: add the conditions of cases to it, and report nothing")
	every := flags.Int("every", 1, "only every so many of the faults were planted")
	write := flags.String("write", "", "the results to bring up to date")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *profile != "" {
		return coverCases(*tree, *profile)
	}
	known, err := readEquivalents(filepath.Join(*tree, "benchmarks/mutants/equivalents.txt"))
	if err != nil {
		return err
	}
	results, err := readResults(*write)
	if err != nil {
		return err
	}
	for _, arg := range flags.Args() {
		pkg, file, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%q: want package=report", arg)
		}
		o, err := readOutcome(*tree, pkg, file, known, *every)
		if err != nil {
			return err
		}
		fmt.Print(o.section())
		for _, e := range o.unmet(known) {
			if *every > 1 {
				break // it may not have been planted
			}
			fmt.Printf("no longer equivalent or no longer there: %s\n", e)
		}
		fmt.Printf("\n%s%s\n", tableHead, o.row())
		results.set(o)
	}
	if *write == "" {
		return nil
	}
	return os.WriteFile(*write, []byte(results.String()), 0o644)
}

// A mutant is one planted fault with its result.
type mutant struct {
	file     string // in the tree
	line     int
	column   int
	operator string
	nth      int    // among those of its operator on its line, from 1
	status   string // as gremlins has it
	source   string // the line's text, trimmed
}

func (m mutant) String() string {
	return fmt.Sprintf("`%s:%d` %s `%s`", filepath.Base(m.file), m.line, m.name(), m.source)
}

// name distinguishes the mutants of one operator on one line.
func (m mutant) name() string {
	if m.nth == 1 {
		return m.operator
	}
	return fmt.Sprintf("%s#%d", m.operator, m.nth)
}

func byPlace(a, b mutant) int {
	return slices.Compare([]int{a.line, a.column}, []int{b.line, b.column})
}
