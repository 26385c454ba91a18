package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func focus(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Focus(chromedp.CSS(selector))
}

// inInbox opens a page and goes to its inbox, where a question waits.
func inInbox(t *testing.T, s *server) *page {
	t.Helper()
	p := open(t, s)
	p.press("g")
	p.press("i")
	p.see(".act", "Send answer")
	return p
}

// The first of two answers counts; the second person sees it.
func TestAnswerByKeyboard(t *testing.T) {
	t.Parallel()
	s := demo(t)
	first, second := inInbox(t, s), inInbox(t, s)
	first.press("2")
	first.wait(`document.querySelectorAll(".opt")[1].getAttribute("aria-checked") === "true"`)
	second.write(".act textarea", "Mask the addresses.")
	first.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	first.see(".said", "Answered by you: for B")
	second.see(".said, .wrong", "for B")
	if second.text(".said") == "" {
		t.Error("the second person does not see the first answer")
	}
	first.click(".said a", "What followed")
	first.wait(`location.pathname.startsWith("/solves/")`)
	first.see(".then", "As it stood at")
	first.press(kb.End)
	first.see(".big", "Reached")
	first.see(".ans", "Keep raw logs for 7 days")
}
