package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/swarmbus/swarmbus/internal/timetest"
)

// patience is how long a page may take for a step. It is long, because other work may be
// going on on the machine: what must be quick is measured, not waited for.
const patience = 2 * time.Minute

// A page is a tab of its own, without cookies of other tests.
type page struct {
	t   *testing.T
	ctx context.Context

	mu   sync.Mutex // protects the fields below
	said []string   // errors on the console
}

// open opens the link that a server printed, so that the page has a session.
func open(t *testing.T, s *server) *page {
	t.Helper()
	p := blank(t)
	p.visit(s.link.String())
	p.wait(`document.querySelector("nav.nav")`)
	return p
}

func blank(t *testing.T) *page {
	t.Helper()
	if without != "" {
		t.Skip(without)
	}
	ctx, cancel := chromedp.NewContext(chrome, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	p := &page{t: t, ctx: ctx}
	p.size(1440, 900, "light")
	go func() {
		for m, err := range chromedp.Console(ctx) {
			if err != nil {
				return
			}
			if text := m.String(); m.IsException() || strings.Contains(text, "Content Security Policy") {
				p.mu.Lock()
				p.said = append(p.said, text)
				p.mu.Unlock()
			}
		}
	}()
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, text := range p.said {
			t.Errorf("the page says: %s", text)
		}
	})
	return p
}

// size sets the size of the window, and light or dark.
func (p *page) size(width, height int64, scheme string) {
	p.t.Helper()
	p.look(width, height, emulation.MediaFeature{Name: "prefers-color-scheme", Value: scheme})
}

// look sets the size of the window, and the reader's preferences.
func (p *page) look(width, height int64, features ...emulation.MediaFeature) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, height))
	params := emulation.SetEmulatedMediaParams{}
	for i := range features {
		params.Features = append(params.Features, &features[i])
	}
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, params)
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) visit(url string) {
	p.t.Helper()
	p.do(chromedp.Navigate(url))
}

// eval returns the value of an expression, which may be a promise.
func eval[T any](p *page, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", short(expression), err)
	}
	return v
}

// wait waits until an expression is true.
func (p *page) wait(expression string) {
	p.t.Helper()
	became := false
	defer func() {
		if !became {
			p.t.Logf("the page is %s\n%s", eval[string](p, "location.href"), eval[string](p, "document.body.innerText.slice(0, 1500)"))
		}
	}()
	timetest.Until(p.t, short(expression)+" becomes true", func() bool { return eval[bool](p, "!!("+expression+")") })
	became = true
}

// see waits until a selector has an element with a text.
func (p *page) see(selector, text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("[...document.querySelectorAll(%s)].some((e) => e.textContent.includes(%s))", quote(selector), quote(text)))
}

// click clicks the first visible element of a selector that has a text.
func (p *page) click(selector, text string) {
	p.t.Helper()
	p.see(selector, text)
	at := eval[struct{ X, Y float64 }](p, fmt.Sprintf(`(() => {
		const e = [...document.querySelectorAll(%s)].find((e) => e.textContent.includes(%s) && e.getClientRects().length);
		e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect();
		return {X: r.x + Math.min(r.width / 2, 60), Y: r.y + r.height / 2};
	})()`, quote(selector), quote(text)))
	p.do(chromedp.MouseClickXY(at.X, at.Y))
}

// write types a text into a field.
func (p *page) write(selector, text string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("document.querySelector(%s)", quote(selector)))
	p.do(chromedp.Focus(chromedp.CSS(selector)), chromedp.KeyEvent(text))
}

// press presses keys outside of fields.
func (p *page) press(keys string, opts ...chromedp.KeyOption) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys, opts...))
}

// key presses a key as the page hears it. The browser's protocol would also type it into the field
// that gets the focus by it, which browsers do not.
func (p *page) key(key string) {
	p.t.Helper()
	eval[any](p, fmt.Sprintf(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: %s, bubbles: true, cancelable: true})), 0`, quote(key)))
}

func (p *page) text(selector string) string {
	p.t.Helper()
	return eval[string](p, fmt.Sprintf("document.querySelector(%s)?.innerText ?? ''", quote(selector)))
}

// api makes a GET request to the API with the session of the page.
func api[T any](p *page, path string) (v T) {
	p.t.Helper()
	text := eval[string](p, fmt.Sprintf("fetch('/api/' + %s).then((r) => r.text())", quote(path)))
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		p.t.Fatalf("%s: %v in %s", path, err, short(text))
	}
	return v
}

func quote(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func short(s string) string {
	if len(s) > 300 {
		return s[:300] + "…"
	}
	return s
}
