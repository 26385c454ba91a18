package browser_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestRoom(t *testing.T) {
	t.Parallel()
	p := open(t, demo(t))
	p.visit(eval[string](p, "location.origin") + "/rooms/ops")
	p.see(".comp", "urgent")
	if on := p.text(`.comp .seg [aria-pressed="true"]`); on != "by its words" {
		t.Errorf("the priority is %q at first, want what its words say", on)
	}
	eval[any](p, `window.counted = []; new MutationObserver(() => counted.push(document.querySelector(".rm[aria-current] .n").textContent)).observe(document.querySelector(".rl"), {subtree: true, childList: true, characterData: true}); 0`)
	p.write(".comp textarea", "@Reed, is the *backup* whole?")
	p.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.see(".msg.me .bub em", "backup")
	p.see(".ex summary .lb", "backup-audit")
	p.see(".msg .bub", "Backups are sparse")
	p.wait(`![...document.querySelectorAll(".ex .spin")].length`)

	p.wait(`[...document.querySelectorAll(".bub a.ref")].length > 0`)
	section := eval[string](p, `(() => { const a = document.querySelector(".bub a.ref"); a.click(); return a.textContent.slice(1); })()`)
	p.wait(`document.querySelector('.ex[data-ix="` + section + `"]').open`)
	p.see(`.ex[open] .bd`, "The agent keeps only the line above")
	p.wait(`document.querySelectorAll(".rm").length > 1`)
	if counts := eval[[]string](p, `counted.filter((n) => n)`); len(counts) > 0 {
		t.Errorf("the open room had unread events: %v", counts)
	}
}

// What the script of the demo says in the rooms is not said to be the visitor's; each question of
// its is answered, and the call of a tool takes its time.
func TestTheDemoSpeaksForItself(t *testing.T) {
	t.Parallel()
	p := open(t, demo(t))
	p.visit(eval[string](p, "location.origin") + "/rooms/ops")
	p.see(".msg", "are the backups whole?")
	p.wait(`[...document.querySelectorAll(".msg")].filter((m) => m.textContent.includes("are the backups whole?")).every((m) => m.querySelector("b").innerText === "The demo" && !m.classList.contains("me"))`)
	p.see(".ex summary .lb", "backup-audit")
	p.see(".msg .bub", "Backups are sparse")
	p.write(".comp textarea", "@Reed, are our backups good?")
	p.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.see(".msg.me b", "You")
	p.wait(`document.querySelector(".ex .spin")`)
	p.wait(`!document.querySelector(".ex .spin")`)
	p.wait(`[...document.querySelectorAll(".ex .du")].filter((d) => / s$/.test(d.innerText)).length > 1`)
	p.visit(eval[string](p, "location.href"))
	p.see(".msg.me .bub", "are our backups good?")
}

// A message written while the server is away is sent once, when it is back.
func TestMessageWaitsForTheServer(t *testing.T) {
	t.Parallel()
	s := demo(t)
	p := open(t, s)
	p.visit(s.path("/rooms/ops"))
	p.see(".comp", "urgent")
	p.see(".foot", "Live")
	s.kill()
	p.see(".note", "Reconnecting")
	p.write(".comp textarea", "Note: written while you were away")
	p.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.see(".queued", "written while you were away")
	s.again()
	p.see(".msg.me", "written while you were away")
	p.wait(`!document.querySelector(".queued")`)
	p.visit(s.path("/rooms/ops"))
	p.see(".msg.me", "written while you were away")
	if n := eval[int](p, `[...document.querySelectorAll(".msg.me")].filter((m) => m.textContent.includes("written while you were away")).length`); n != 1 {
		t.Errorf("the message is there %d times, want 1", n)
	}
}

// What members say in a decision of their room is shown in it, by whom and of which kind.
func TestSignalsOfADecisionAreShownInItsRoom(t *testing.T) {
	t.Parallel()
	office, err := filepath.Abs("../../../examples/rooms/office.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "serve.yaml")
	if err := os.WriteFile(config, []byte("office: "+office+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "--config", config, "--dir", dir)
	p := open(t, s)
	p.visit(s.path("/rooms/ops"))
	p.see(".comp", "urgent")
	p.write(".comp textarea", "@Dana decide: Where do we copy entities.db to?")
	p.press(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl))
	p.see(".sx", "Reed: proposal")
	p.see(".sx", "Veda: vote")
	p.see(".msg .bub", "Copy entities.db to S3. (reached")
	eval[any](p, `window.ix = [...document.querySelectorAll(".ex")].pop().dataset.ix, 0`)
	p.wait(`[...document.querySelectorAll(".sx")].filter((e) => e.textContent.startsWith("§" + ix + " · ")).length > 3`)
}
