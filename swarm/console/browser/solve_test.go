package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// migration is the solve of the demo with a debate and changes of mind.
const migration = "How do we move the orders table"

// openSolve opens the newest decided solve of a task.
func (p *page) openSolve(task string) string {
	p.t.Helper()
	p.wait(fmt.Sprintf(`[...document.querySelectorAll("tr.r")].some((r) => r.textContent.includes(%s) && r.textContent.includes("consensus"))`, quote(task)))
	id := eval[string](p, fmt.Sprintf(`(() => {
		const row = [...document.querySelectorAll("tr.r")].filter((r) => r.textContent.includes(%s) && r.textContent.includes("consensus")).pop();
		row.querySelector("a").click();
		return row.dataset.solve;
	})()`, quote(task)))
	p.wait(`document.querySelector(".figbox .cursor")`)
	return id
}

func TestStartAndStream(t *testing.T) {
	t.Parallel()
	p := open(t, demo(t, "--pace", "700ms"))
	p.key("c")
	p.see("dialog", "What should be decided?")
	p.write("textarea[name=task]", "How often do we retry a payment that timed out?")
	p.click("dialog button.p", "Start")
	p.wait(`location.pathname.startsWith("/solves/")`)
	p.wait(`document.querySelectorAll(".e").length > 0`)
	first := eval[int](p, `document.querySelectorAll(".e").length`)
	p.see(".big", "Reached")
	if last := eval[int](p, `document.querySelectorAll(".e").length`); last <= first {
		t.Errorf("%d rows when the first was there, %d at the end: nothing was streamed", first, last)
	}
}

func TestFilterScrubWhatIfVerify(t *testing.T) {
	t.Parallel()
	p := open(t, demo(t))
	p.openSolve(migration)
	answer := p.text(".ans")

	p.click(".chip", "Votes")
	p.wait(`[...document.querySelectorAll(".e")].every((e) => /^(for|against|abstains)/.test(e.querySelector(".t").innerText))`)
	p.see(".e", "for")
	p.click(".chip", "All")

	p.press(kb.Home)
	p.see(".then", "As it stood at")
	if p.text(".ans") == answer {
		t.Errorf("the answer at the beginning is that of the end: %s", answer)
	}
	p.wait(`![...document.querySelectorAll(".rail h2")].some((h) => h.textContent.startsWith("What C rests on"))`) // there is no C yet
	p.see(".rail h2", "of all of it")
	p.wait(`!document.querySelector(".rail .say")?.textContent.includes("crossed")`)
	p.press("n")
	p.press(kb.ArrowRight)
	p.wait(`"#" + new URLSearchParams(location.search).get("at") === document.querySelector(".then b.mono").innerText`)
	if dim := eval[int](p, `document.querySelectorAll(".e.fut").length`); dim == 0 {
		t.Error("no later signal is dimmed")
	}
	// The position survives a reload.
	at := eval[string](p, `document.querySelector(".then b.mono").innerText`)
	p.visit(eval[string](p, "location.href"))
	p.see(".then b.mono", at)
	p.press(kb.End)
	p.wait(`!document.querySelector(".then")`)

	p.click(".wi", "entropy")
	p.see(".then", "What if: entropy")
	p.see(".big", "Would stay open")
	p.see(".fighead h2", "as the run itself counted, by confidence-weighted")
	if eval[bool](p, `!!document.querySelector(".written")`) {
		t.Error("the text says the answer of the run, beside a headline that says what would have been")
	}
	p.press("x")
	p.wait(`!document.querySelector(".then")`)
	if got := p.text(".ans"); got != answer {
		t.Errorf("the answer is %q after what if, want %q", got, answer)
	}
	p.wait(`document.querySelectorAll(".vg .c.ch").length > 0`) // changes of mind are marked

	p.click(".kv button", "Check the chain")
	p.see(".kv", "chain intact")
	p.see(".kv", "replay identical")
}

func TestFigureIsASlider(t *testing.T) {
	t.Parallel()
	p := open(t, demo(t))
	p.openSolve(migration)
	p.do(focus(".scrub"))
	before := eval[string](p, `document.querySelector(".scrub").getAttribute("aria-valuetext")`)
	p.press(kb.ArrowLeft)
	p.see(".then", "As it stood at")
	// It follows in the next frame.
	p.wait(fmt.Sprintf(`document.querySelector(".scrub").getAttribute("aria-valuetext") !== %s`, quote(before)))
	if after := eval[string](p, `document.querySelector(".scrub").getAttribute("aria-valuetext")`); !strings.Contains(after, ": ") {
		t.Errorf("the slider says %q after %q, want the signal before it", after, before)
	}
}

// The page of a deadlock says what is tied and that the debate has not chosen, and counts the votes as they were cast.
func TestADeadlockSaysWhatIsTiedAndThatTheDebateEndedEven(t *testing.T) {
	t.Parallel()
	p := open(t, demo(t))
	p.see("tr.r", "Which message broker")
	p.wait(`[...document.querySelectorAll("tr.r")].some((r) => r.textContent.includes("Which message broker") && r.textContent.includes("deadlock"))`)
	eval[any](p, `[...document.querySelectorAll("tr.r")].find((r) => r.textContent.includes("Which message broker") && r.textContent.includes("deadlock")).querySelector("a").click(), 0`)
	p.see(".big", "Deadlock")
	p.see("h2.ans", "Nothing leads: A and B are tied")
	p.see(".kv", "ended even")
	p.see(".vg tfoot td", "0.33")
}
