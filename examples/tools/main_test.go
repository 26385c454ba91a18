package main

import (
	"os"
	"testing"
)

// TestMain lets the test program be the command of the server, as the example is.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "serve":
		main()
		return
	case len(os.Args) > 1 && os.Args[1] == "solve":
		goOn(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

func Example() {
	main()
	// Output:
	// asked: operator wants to call incidents/note with {"text":"payments: a third fail again"}: this tool needs a person's approval
	// operator called error_rate: 0.31
	// operator called incidents/search: {"found":["2026-05-11 payments: a third failed; the circuit breaker was opened"]}
	// operator called incidents/search: the arguments do not conform to the schema of incidents/search: validating root: unexpected additional properties ["query"]
	// operator called incidents/note: {"found":["2026-05-11 payments: a third failed; the circuit breaker was opened","2026-06-02 mail: the disk was full","payments: a third fail again"]}
	// consensus: open the circuit breaker
}
