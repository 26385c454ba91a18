package browser_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

func itoa(n int) string { return strconv.Itoa(n) }

// screens are the pages of the console, each with an element that shows that it is complete.
func screens(solve string) [][3]string {
	return [][3]string{
		{"solves", "/solves", "tr.r"},
		{"solve", "/solves/" + solve, ".figbox .cursor"},
		{"inbox", "/inbox", ".it"},
		{"rooms", "/rooms/ops", ".msg"},
		{"agents", "/agents", "tr.r"},
		{"reports", "/reports", ".report, .state"},
		{"memory", "/memory?q=moving+the+orders+table", ".fact-row"},
		{"runs", "/runs", "tr.r"},
		{"health", "/health", ".cards"},
	}
}

// axe finds nothing serious on any screen, light or dark, wide or narrow.
func TestAccessible(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile(filepath.Join("..", "web", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Skip("there is no axe-core: npm ci in swarm/console/web installs it")
	}
	s := demo(t)
	p := open(t, s)
	solve := p.openSolve(migration)
	for _, look := range []struct {
		w, h   int64
		scheme string
	}{{1440, 900, "light"}, {1440, 900, "dark"}, {390, 844, "light"}} {
		// Without motion: the demo goes on, and a row that fades in has less contrast meanwhile.
		p.look(look.w, look.h, emulation.MediaFeature{Name: "prefers-color-scheme", Value: look.scheme}, emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"})
		for _, screen := range screens(solve) {
			t.Run(fmt.Sprintf("%s %s %d", screen[0], look.scheme, look.w), func(t *testing.T) {
				p.visit(s.path(screen[1]))
				p.wait(`document.querySelector("` + screen[2] + `")`)
				eval[any](p, `Promise.all(document.getAnimations().filter((a) => a.effect.getTiming().iterations === 1).map((a) => a.finished.catch(() => {}))).then(() => 0)`)
				eval[any](p, string(axe)+";0")
				found := eval[[]json.RawMessage](p, `axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => ({id: v.id, help: v.help, nodes: v.nodes.slice(0, 4).map((n) => n.html.slice(0, 160) + " " + n.failureSummary)})))`)
				for _, f := range found {
					t.Errorf("axe: %s", f)
				}
			})
		}
	}
}

// Screenshots are for people: each screen, light and dark, wide and narrow.
func TestImages(t *testing.T) {
	if *images == "" {
		t.Skip("-images names no directory")
	}
	s := demo(t)
	p := open(t, s)
	solve := p.openSolve(migration)
	for _, look := range []struct {
		name   string
		w, h   int64
		scheme string
	}{{"", 1440, 900, "light"}, {"-dark", 1440, 900, "dark"}, {"-narrow", 390, 844, "light"}, {"-narrow-dark", 390, 844, "dark"}} {
		p.look(look.w, look.h, emulation.MediaFeature{Name: "prefers-color-scheme", Value: look.scheme}, emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"})
		for _, screen := range screens(solve) {
			p.visit(s.path(screen[1]))
			p.wait(`document.querySelector("` + screen[2] + `") || innerWidth < 641`)
			eval[any](p, `new Promise((r) => setTimeout(r, 700))`)
			png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(*images, "console-"+screen[0]+look.name+".png"), png, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
