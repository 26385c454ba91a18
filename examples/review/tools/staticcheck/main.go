// Staticcheck is a process that a review asks with -with staticcheck: it says what the
// checks of staticcheck find of the package in a directory, as JSON.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"golang.org/x/tools/go/analysis"
	"honnef.co/go/tools/staticcheck"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: staticcheck DIR")
		os.Exit(2)
	}
	if err := inspect.Tell(context.Background(), os.Stdout, os.Args[1], checks()...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// leftOut are the checks that do not say that something is wrong. SA5011 panics in this version.
var leftOut = []string{"SA1008", "SA1012", "SA1019", "SA2001", "SA5011", "SA6000", "SA6001", "SA6002", "SA6003", "SA6005", "SA6006", "SA9003"}

func checks() (all []*analysis.Analyzer) {
	for _, c := range staticcheck.Analyzers {
		if !slices.Contains(leftOut, c.Analyzer.Name) {
			all = append(all, c.Analyzer)
		}
	}
	return all
}
