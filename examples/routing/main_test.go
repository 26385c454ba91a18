package main

import (
	"strings"
	"testing"
)

// The same plugin loses in the transaction, whatever its priority, and wins
// after it.
func TestThePluginCannotOverruleTheStrategyMidTransaction(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	during, after, found := strings.Cut(out.String(), "tool:result")
	if !found || !strings.Contains(during, `user:message in state "transaction": reject, by strategy route "do not disturb"`) ||
		strings.Contains(during, "teller: force-stop") {
		t.Errorf("in the transaction:\n%s", during)
	}
	if !strings.Contains(after, `user:message in state "idle": force-stop, by plugin route "the customer is king"`) ||
		!strings.Contains(after, "consensus: the transfer is booked") {
		t.Errorf("after it:\n%s", after)
	}
}
