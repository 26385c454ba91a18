package browser_test

import (
	"slices"
	"testing"
)

// After the server was killed and started again, the page continues by itself, and shows
// each signal of the log exactly once.
func TestNothingMissingAfterARestart(t *testing.T) {
	t.Parallel()
	s := demo(t)
	p := open(t, s)
	p.see("tr.r", "round")
	p.see(".foot", "Live")
	running := eval[string](p, `[...document.querySelectorAll("tr.r")].find((r) => /round/.test(r.cells[4].textContent))?.dataset.solve ?? document.querySelector("tr.r").dataset.solve`)
	p.visit(s.path("/solves/" + running))
	p.wait(`document.querySelectorAll(".e").length > 1`)
	s.kill()
	p.see(".note", "Reconnecting")
	s.again()
	p.wait(`!document.querySelector(".note")`)
	p.see(".foot", "Live")
	p.wait(`!/round|Undecided|No quorum/.test(document.querySelector(".big").innerText)`)

	type said struct {
		Seq   uint64
		Form  string
		Round int
	}
	detail := func() (seqs []uint64) {
		for _, one := range api[struct{ Said []said }](p, "solves/"+running).Said {
			if !slices.Contains([]string{"round", "terms", "decided", "outcome", "passed", "answer", "task"}, one.Form) {
				seqs = append(seqs, one.Seq)
			}
		}
		return seqs
	}
	want := detail()
	p.wait(`[...document.querySelectorAll(".chip")].some((c) => c.innerText === "All ` + itoa(len(want)) + `")`)
	got := eval[[]uint64](p, `[...document.querySelectorAll(".e[data-seq]")].flatMap((e) => e.querySelector(".deb") ? [...e.querySelectorAll(".deb .ref")].map((r) => Number(r.textContent.slice(1))) : [Number(e.dataset.seq)])`)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the page shows %v, the log says %v", got, want)
	}
}
