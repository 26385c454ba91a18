package browser_test

import (
	"fmt"
	"testing"
)

// Taking a signal back on the page changes the decision there and in every other window; the
// page shows one state, and the solve takes no longer.
func TestTakeBackOnThePage(t *testing.T) {
	t.Parallel()
	s := demo(t)
	p, other := open(t, s), open(t, s)
	id := p.openSolve("How often do we retry")
	other.visit(s.path("/solves/" + id))
	other.see(".big", "Reached")
	type detail struct {
		Votes []struct{ Seq int }
	}
	took := p.text(".facts-line")
	votes := api[detail](p, "solves/"+id).Votes
	for i, v := range votes[:len(votes)-1] {
		row := fmt.Sprintf(`.e[data-seq="%d"] `, v.Seq)
		p.wait(`document.querySelector(` + quote(row+".back") + `)`)
		eval[any](p, `document.querySelector(`+quote(row+".back")+`).click(), 0`)
		p.see("dialog", fmt.Sprintf("Take back #%d", v.Seq))
		if i == 0 {
			p.wait(`document.querySelector("dialog button.p").disabled`)
		}
		p.write("dialog textarea", "<b>a mistake</b>")
		p.click("dialog button.p", "Take back")
		p.wait(`!document.querySelector("dialog")`)
		p.see(row+".taken", "Taken back")
	}
	for _, p := range []*page{p, other} {
		p.see(".then.revised", "Without what was taken back after it, the decision changes")
		p.see(".then.revised", "<b>a mistake</b>")
		p.see(".big", "Stands no more")
		p.see(".ans", "Was decided, and stands no more: Three times")
		if now := p.text(".facts-line"); now != took {
			t.Errorf("it took %q, and %q with what was taken back", took, now)
		}
	}
}
