package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The page tells the second person that another answered first; a person may be against a
// proposal, with a reason.
func TestSecondPersonSeesTheFirstAnswerAndMayBeAgainst(t *testing.T) {
	t.Parallel()
	s := demo(t)
	first, second := inInbox(t, s), inInbox(t, s)
	second.write(".act textarea", "Mask the addresses.")
	first.click(`.act [aria-label="Stance"] button`, "against")
	first.wait(`document.querySelector(".act .btn.p").disabled`)
	first.write(".act textarea", "we promised seven days")
	first.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	first.see(".said", "Answered by you: against A, “we promised seven days”")
	second.see(".said.no", "What you wrote was not sent: another person has answered first.")
	second.see(".said", "against A")
}

// A line that looks like a command is run or refused, and not posted in the room.
func TestCommandsAreNoMessages(t *testing.T) {
	t.Parallel()
	p := open(t, demo(t))
	p.visit(eval[string](p, "location.origin") + "/rooms/ops")
	p.see(".comp", "urgent")
	p.write(".comp textarea", "/decide Where do we copy it to?")
	p.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.see(".comp .wrong", "/decide is a command of swarmbus rooms")
	p.wait(`document.querySelector(".comp textarea").value.startsWith("/decide")`)
	eval[any](p, `document.querySelector(".comp textarea").select(), 0`)
	p.write(".comp textarea", "/background Note: the teal is teal.")
	p.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.see(".msg.me", "Note: the teal is teal.")
	if got := p.text(".conv, main"); got == "" || eval[bool](p, `[...document.querySelectorAll(".msg.me")].some((m) => m.textContent.includes("/"))`) {
		t.Errorf("the command was said: %s", short(got))
	}
}

// Of two answers that are sent the second is refused, and its person is told who was first.
func TestSecondAnswerThatWasSentIsSaidNotToBeTaken(t *testing.T) {
	t.Parallel()
	s := demo(t)
	first, second := inInbox(t, s), inInbox(t, s)
	eval[any](second, `(() => {
		const real = window.fetch, gate = new Promise((go) => { window.goOn = go; });
		window.fetch = async (...a) => {
			if (a[1]?.method === "POST") { window.held = true; await gate; }
			return real(...a);
		};
	})(), 0`)
	second.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	second.wait(`window.held`)
	first.press("2")
	first.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	first.see(".said", "Answered by you: for B")
	eval[any](second, `window.goOn(), 0`)
	second.see(".said.no", "Yours was not taken: another person has answered first.")
	second.see(".said", "for B")
}

// The solve shows beside an answer whether it is for or against what it is about.
func TestASolveShowsTheStanceOfAnAnswer(t *testing.T) {
	t.Parallel()
	s := demo(t)
	p := open(t, s)
	p.press("g")
	p.press("i")
	p.see(".act", "Send answer")
	p.click(`.act [aria-label="Stance"] button`, "against")
	p.write(".act textarea", "we promised seven days")
	p.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.click(".said a", "What followed")
	p.see(".box.wide", "against A we promised seven days")
}
