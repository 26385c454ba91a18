package browser_test

import "testing"

// hostile is a text that would run as a script, break out of an element, colour a terminal
// and turn the direction of writing, if it were not data.
const hostile = `<img src=x onerror="window.owned=1"><script>window.owned=1</script>"'><b>bold</b> [x](javascript:window.owned=1) ` +
	"\u202edne\u202c §99 ![i](https://example.org/i.png) <style>*{display:none}</style>"

func TestTextsAreData(t *testing.T) {
	t.Parallel()
	s := demo(t)
	p := open(t, s)
	set := `(text, selector) => { const e = document.querySelector(selector); Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(e, text); e.dispatchEvent(new Event("input", {bubbles: true})); }`
	id := eval[string](p, `fetch("/api/solves", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({team: "platform", task: `+quote(hostile)+`})}).then((r) => r.json()).then((s) => s.id)`)
	p.visit(s.path("/solves/" + id))
	p.see(".q", `<script>window.owned=1</script>`)
	p.see(".q", `\u202e`)

	p.visit(s.path("/rooms/ops"))
	p.see(".comp", "urgent")
	eval[any](p, "("+set+")("+quote(hostile)+", '.comp textarea')")
	p.click(".comp button.p", "Send")
	p.see(".msg.me .bub", `<script>window.owned=1</script>`)
	for what, expression := range map[string]string{
		"a script ran":                      `window.owned`,
		"an element of the text is there":   `document.querySelector(".bub script, .bub img, .bub style, .bub b, .bub [onerror]")`,
		"a link runs a script":              `document.querySelector('.bub a[href^="javascript"]')`,
		"an unknown section is a link":      `[...document.querySelectorAll(".bub a.ref")].some((a) => a.textContent === "§99")`,
		"the direction of writing can turn": `document.querySelector(".msg.me .bub").textContent.includes("\u202e")`,
	} {
		if eval[bool](p, "!!("+expression+")") {
			t.Errorf("%s: %s", what, eval[string](p, `document.querySelector(".msg.me .bub").innerHTML`))
		}
	}
}

// A visitor without the token sees only how to get in.
func TestDoor(t *testing.T) {
	t.Parallel()
	s := demo(t)
	p := blank(t)
	p.visit(s.path("/solves"))
	p.see("main.door", "needs the token")
	p.write("main.door input", "wrong")
	p.click("main.door button", "Open")
	p.see("main.door", "token")
	p.visit(s.link.String())
	p.wait(`document.querySelector("nav.nav")`)
	if hash := eval[string](p, "location.hash"); hash != "" {
		t.Errorf("the address still has %q", hash)
	}
}
