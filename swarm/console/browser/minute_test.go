package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestFirstMinute does what docs/console.md tells a person to do, step by step.
func TestFirstMinute(t *testing.T) {
	t.Parallel()
	s := demo(t)

	// 1. The link opens the list of solves.
	p := open(t, s)
	p.see("tr.r", "?")
	p.see(".grp", "Waiting for you")

	// 2. The solve with the debate: what was decided, how sure, who disagrees, what turned it.
	p.openSolve(migration)
	p.see(".ans", "Write once, with an outbox row")
	p.see(".fact", "needs 0.70")
	p.see(".fact", "planner")
	p.see(".fact", "left")

	// 3. How it went.
	p.press("p")
	p.see(".then", "As it stood at")
	p.press(kb.End)
	p.wait(`!document.querySelector(".then")`)

	// 4. What if.
	p.click(".wi", "entropy")
	p.see(".big", "Would stay open")
	p.press("x")

	// 5. The inbox.
	p.press("g")
	p.press("i")
	p.see(".act", "Send answer")
	p.press("1")
	p.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.see(".said", "Answered by you")

	// 6. A room.
	p.press("g")
	p.press("r")
	p.click(".rm", "ops")
	p.write(".comp textarea", "@Reed, is the backup whole?")
	p.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.see(".ex .lb", "backup-audit")

	// 7. Commands and keys.
	p.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`))
	p.press("?")
	p.see("dialog", "Everywhere")
	p.press(kb.Escape)
	p.wait(`!document.querySelector("dialog")`)
	p.press("k", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.see("dialog.palette", "Go to Health")
}
