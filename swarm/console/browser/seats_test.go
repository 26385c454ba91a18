package browser_test

import "testing"

// An operator lets an agent join a room and leave it, and the page says what the server refuses in a solve.
func TestAnOperatorChangesWhoTakesPart(t *testing.T) {
	t.Parallel()
	s := demo(t, "--pace", "1h")
	p := open(t, s)
	p.visit(s.path("/rooms/ops"))
	p.see(".mem .p", "Reed")
	p.click(".mem button", "Who takes part")
	p.see("dialog .row", "Reed")
	const press = `[...document.querySelectorAll("dialog button")].find((b) => b.getAttribute("aria-label") === `
	eval[any](p, press+`"Reed leaves").click(), 0`)
	p.see("dialog [role=status]", "Reed leaves.")
	p.wait(`![...document.querySelectorAll(".mem .p")].some((m) => m.textContent.includes("Reed"))`)
	eval[any](p, press+`"Reed joins").click(), 0`)
	p.see("dialog [role=status]", "Reed joins.")
	p.see(".mem .p", "Reed")

	type solve struct{ ID, State string }
	for _, one := range api[[]solve](p, "solves") {
		if one.State == "running" {
			p.visit(s.path("/solves/" + one.ID))
			p.click(".top button", "Agents")
			p.wait(`document.querySelector("dialog .row button")`)
			eval[any](p, `document.querySelector("dialog .row button").click(), 0`)
			p.wait(`document.querySelector("dialog [role=alert]")?.textContent`) // it takes part already
			return
		}
	}
	t.Fatal("no solve of the demo runs")
}
