package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// What is typed after the dialog was opened is in its first field, also while the teams are
// read; and it starts from the keyboard.
func TestANewSolveIsWrittenFromTheKeyboard(t *testing.T) {
	t.Parallel()
	p := open(t, demo(t))
	eval[any](p, `(() => {
		const real = window.fetch, gate = new Promise((go) => { window.goOn = go; });
		window.fetch = async (...a) => {
			if (String(a[0]).endsWith("/api/teams")) await gate;
			return real(...a);
		};
	})(), 0`)
	p.key("c")
	p.see("dialog", "What should be decided?")
	if on := eval[string](p, `document.activeElement.name`); on != "task" {
		t.Errorf("%q has the focus, want the task", on)
	}
	p.press("How often do we retry a payment that timed out?")
	p.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.wait(`document.querySelector("dialog textarea").value.startsWith("How often")`)
	eval[any](p, `window.goOn(), 0`)
	p.see("dialog .teams", "platform")
	p.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.wait(`!document.querySelector("dialog") && location.pathname.startsWith("/solves/")`)
	p.see(".q", "How often do we retry")
}

// The agents of the demo know some questions: the page offers these, and starts no other.
func TestTheDemoOffersTheQuestionsThatItKnows(t *testing.T) {
	t.Parallel()
	p := open(t, demo(t))
	p.key("c")
	p.see("dialog .known", "These agents are scripted")
	p.write("textarea[name=task]", "What is for lunch?")
	p.see("dialog .known .wrong", "no other")
	p.wait(`document.querySelector("dialog button.p").disabled`)
	p.click("dialog .known button", "How often do we retry")
	p.wait(`!document.querySelector("dialog .known .wrong")`)
	p.click("dialog button.p", "Start")
	p.see(".big", "Reached")
}

// The filter of the list is in the address, and there is one on a narrow screen.
func TestTheFilterOfTheListIsInItsAddress(t *testing.T) {
	t.Parallel()
	p := open(t, demo(t))
	p.openSolve(migration)
	p.size(390, 844, "light")
	p.visit(eval[string](p, "location.origin") + "/solves")
	p.see("tr.r", "How often do we retry")
	p.write(".filter", "orders table")
	p.wait(`![...document.querySelectorAll("tr.r")].some((r) => r.textContent.includes("retry"))`)
	p.wait(`new URLSearchParams(location.search).get("q") === "orders table"`)
	p.visit(eval[string](p, "location.href"))
	p.see("tr.r", "orders table")
	if all := eval[string](p, `[...document.querySelectorAll("tr.r .tt")].map((a) => a.innerText).join("|") + document.querySelector(".filter").value`); all == "" || eval[bool](p, `[...document.querySelectorAll("tr.r")].some((r) => r.textContent.includes("retry"))`) {
		t.Errorf("after a reload the list has %s", all)
	}
	if wide := eval[int](p, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the page is %d pixels wide", wide)
	}
}
