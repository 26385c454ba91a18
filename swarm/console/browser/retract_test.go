package browser_test

import (
	"fmt"
	"strings"
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
		p.see(".fact", "<b>a mistake</b>")
		p.see(".big", "Stands no more")
		p.see(".ans", "Was decided, and stands no more: Three times")
		// The rest of the page goes by the votes that are left, too.
		p.see(".fact", "1 has voted")
		p.see(".fact h2", "What undid it")
		if rows := eval[int](p, `document.querySelectorAll(".vg tbody tr").length`); rows != 1 {
			t.Errorf("the grid has %d voters, and one vote is left", rows)
		}
		p.see(".vg tfoot .ac", "1.00") // of the vote that is left
		if said := p.text(".rail .say"); strings.Contains(said, "crossed") || eval[int](p, `[...document.querySelectorAll(".score .back")].filter((l) => l.getAttribute("x2") - l.getAttribute("x1") > 0).length`) == 0 {
			t.Errorf("what if says %q of a line that is not passed; or nobody backs anything in the figure", said)
		}
		if now := p.text(".facts-line"); now != took {
			t.Errorf("it took %q, and %q with what was taken back", took, now)
		}
	}
	lasted := took[strings.Index(took, "· ")+len("· "):]
	lasted, _, _ = strings.Cut(lasted, " ·")
	p.click(".crumb", "Solves")
	row := `tr.r[data-solve="` + id + `"] `
	p.see(row+".stop", "stands no more")
	p.see(row+".sub", "Was decided: Three times")
	p.see(row+"td.num", lasted)
}
