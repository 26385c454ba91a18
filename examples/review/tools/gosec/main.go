// Gosec is a process that a review asks with -with gosec: it says what gosec
// finds of the package in a directory, as JSON.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/securego/gosec/v2/goanalysis"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gosec DIR")
		os.Exit(2)
	}
	if err := inspect.Tell(context.Background(), os.Stdout, os.Args[1], goanalysis.Analyzer); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
