package browser_test

import (
	"slices"
	"testing"
)

// What turned out to be right is told on the page of a solve: it is in the log, and counts for the agents.
func TestWhatWasRightIsToldOnThePage(t *testing.T) {
	t.Parallel()
	s := demo(t)
	p := open(t, s)
	id := p.openSolve("How often do we retry")
	p.see(".written h2", "What turned out to be right?")
	type detail struct {
		Said []struct{ Form string }
	}
	told := func() int {
		return len(slices.DeleteFunc(api[detail](p, "solves/"+id).Said, func(s struct{ Form string }) bool { return s.Form != "outcome" }))
	}
	before := told()
	p.click(".written button", "None of them")
	p.see(".written [role=status]", "None of them was right")
	p.click(`.written button[aria-label="A was right"]`, "A")
	p.see(".written [role=status]", "A was right")
	if n := told() - before; n != 2 {
		t.Errorf("%d outcomes are in the log", n)
	}
}
