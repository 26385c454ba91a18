package browser_test

import (
	"slices"
	"strings"
	"testing"
)

// A report is shown as it was sent, beside its accepted parts and the reasons for the rejected ones.
func TestReportsAreShownBesideTheirAcceptedParts(t *testing.T) {
	t.Parallel()
	s := demo(t, "--pace", "1h")
	p := open(t, s)
	p.visit(s.path("/reports"))
	p.see(".report", "wren")
	const report = `[...document.querySelectorAll(".report")].find((r) => r.textContent.includes("wren"))`
	columns := eval[[]string](p, `[...`+report+`.querySelectorAll(":scope > div")].map((c) => c.innerText)`)
	if len(columns) != 2 {
		t.Fatalf("a report has the columns %q", columns)
	}
	sent, judged := columns[0], columns[1]
	for _, claim := range []string{"84 % of the slow requests", "The disk may be slow, too."} {
		if !strings.Contains(sent, claim) {
			t.Errorf("what was sent lacks %q: %s", claim, short(sent))
		}
	}
	parts := eval[[]string](p, `[...`+report+`.querySelectorAll("p.ok")].map((e) => (e.querySelector("[aria-label]")?.getAttribute("aria-label") ?? "") + ": " + e.innerText)`)
	for _, want := range [][2]string{{"accepted", "84 % of the slow requests"}, {"refused", "low_confidence"}, {"refused", "3, more than 2 in a report"}} {
		if !slices.ContainsFunc(parts, func(part string) bool {
			return strings.HasPrefix(part, want[0]) && strings.Contains(part, want[1])
		}) {
			t.Errorf("no part is %s with %q:\n%s", want[0], want[1], judged)
		}
	}
	p.see(".report .then", "heron decides on escalation e1: answered, use Monday")
}

// The memory is searched by meaning; a source's statements are revoked on confirmation.
func TestMemoryIsSearchedAndRevoked(t *testing.T) {
	t.Parallel()
	s := demo(t, "--pace", "1h")
	p := open(t, s)
	p.visit(s.path("/memory"))
	p.see(".page", "Search by meaning")
	p.write(".find input", "moving the orders table")
	p.see(".fact-row", "froze writes for 47 minutes")
	p.see(".fact-row", "needs no backup")
	if state := eval[string](p, `[...document.querySelectorAll(".fact-row")].find((r) => r.textContent.includes("no backup")).querySelector(".st").innerText.trim()`); state != "quarantined" {
		t.Errorf("what one source said is %q", state)
	}
	p.click(".fact-row button", "Revoke wiki-import")
	p.see(".fact-row button", "Revoke all that wiki-import said?")
	const known = "memory?quarantined=true&q=the+orders+table"
	if all := api[[]struct{ Content, State string }](p, known); len(all) < 3 {
		t.Errorf("before it is confirmed the memory has %v", all)
	}
	p.click(".fact-row button", "Revoke all that wiki-import said?")
	p.see(".fact-row [role=status]", "1 fact of wiki-import is no longer recalled.")
	p.wait(`![...document.querySelectorAll(".fact-row button")].some((b) => b.textContent.includes("wiki-import"))`)
	p.see(".fact-row", "froze writes for 47 minutes")
	for _, f := range api[[]struct{ Content, State string }](p, known) {
		if strings.Contains(f.Content, "no backup") && f.State != "revoked" {
			t.Errorf("%q is %s", f.Content, f.State)
		}
	}
	// The search has an address.
	p.visit(eval[string](p, "location.href"))
	p.see(".fact-row", "froze writes for 47 minutes")
}

// An agent's page shows its router's decision about a signal, with the reason.
func TestExplainNamesTheRouteThatDecides(t *testing.T) {
	t.Parallel()
	s := demo(t)
	p := open(t, s)
	solve := p.openSolve(migration)
	var seq uint64
	for _, one := range api[struct {
		Said []struct {
			Seq  uint64
			Form string
		}
	}](p, "solves/"+solve).Said {
		if one.Form == "proposal" {
			seq = one.Seq
			break
		}
	}
	p.visit(s.path("/agents"))
	p.see("tr.r", "verifier")
	p.click("tr.r a", "verifier")
	p.see(".side .big", "verifier")
	p.see(".side h3", "How often it is right")
	p.see(".side .say", "Action: unrouted")
	p.write(".side input", itoa(int(seq)))
	p.see(".side h3", "what does it do about #"+itoa(int(seq)))
	p.see(".side .say", "Action: continue")
	decided := eval[[]string](p, `[...document.querySelectorAll(".side .route")].filter((r) => r.querySelector(".ac")).map((r) => r.innerText)`)
	if len(decided) != 1 || !strings.Contains(decided[0], "measure what is proposed") {
		t.Errorf("the routes that decide are %q", decided)
	}
	lost := eval[[]string](p, `[...document.querySelectorAll(".side .route")].filter((r) => !r.querySelector(".ac")).map((r) => r.innerText)`)
	if !slices.ContainsFunc(lost, func(r string) bool { return strings.Contains(r, "no proposals at night") }) {
		t.Errorf("the plugin that loses is not among %q", lost)
	}
}
