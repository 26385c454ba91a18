package browser_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// long is how many signals the solve of TestScrubsLongRun has.
const long = 100_000

// A run of 100,000 signals scrubs without a frame over 100 ms. The solve comes instead of
// one of the server's, so that the page alone is measured.
func TestScrubsLongRun(t *testing.T) {
	s := demo(t, "--pace", "1h")
	p := open(t, s)
	text, err := json.Marshal(longSolve())
	if err != nil {
		t.Fatal(err)
	}
	p.answer("*/api/solves/long.run", text)
	p.visit(s.path("/solves/long.run"))
	p.wait(`document.querySelector(".figbox .cursor") && document.querySelector(".e")`)
	t.Logf("%d signals, %.1f MB", long, float64(len(text))/1e6)

	p.measureThread()
	var tries []*scrubbing
	for len(tries) < 3 { // other load on the machine makes frames slower, never faster
		one := p.scrub()
		t.Log(one)
		if one.made > most {
			t.Errorf("%d elements were made at once, want at most %d", one.made, most)
		}
		if tries = append(tries, one); one.within() {
			return
		}
	}
	t.Errorf("in each of %d tries a frame took too long", len(tries))
}

// most is how many elements a step may make, on a machine of any speed.
const most = 600

// calmReference is how many milliseconds the reference takes where the bound of 100 ms holds
// as it stands: two cores that do nothing else.
const calmReference = 10.0

// A scrubbing has the times of the page's thread while the slider went through a run and back,
// in milliseconds.
type scrubbing struct {
	frames []float64 // a step each
	texts  []float64 // the text at a position where the slider rests
	refs   []float64 // the reference, between the steps
	made   int       // most elements that were made at once
}

const steps, rests = 150, 6

// scrub moves the slider through the run and back, and rests on the way.
func (p *page) scrub() *scrubbing {
	p.t.Helper()
	eval[any](p, countMade)
	s := new(scrubbing)
	for i := range steps {
		at := 0.5 - math.Cos(float64(i)/steps*2*math.Pi)/2
		s.frames = append(s.frames, p.working(func() { p.scrubTo(at) }))
		switch i % (steps / rests) {
		case 0:
			s.texts = append(s.texts, p.working(p.rest))
		case steps / rests / 2:
			s.refs = append(s.refs, p.working(func() { eval[any](p, reference) }))
			eval[any](p, `made = 0`)
		}
		s.made = max(s.made, eval[int](p, `[made, made = 0][0]`))
	}
	return s
}

// allowed is 100 ms, or as much more as this machine is slower now than a calm one.
func (s *scrubbing) allowed() float64 { return 100 * max(1, median(s.refs)/calmReference) }

func (s *scrubbing) within() bool {
	return max(slices.Max(s.frames), slices.Max(s.texts)) <= s.allowed()
}

func (s *scrubbing) String() string {
	return fmt.Sprintf("%d frames: median %.1f ms, worst %.1f ms of the page's thread; the text at %d positions: median %.1f ms, worst %.1f ms; the reference: %.1f ms; allowed: %.0f ms; at most %d elements made",
		steps, median(s.frames), slices.Max(s.frames), len(s.texts), median(s.texts), slices.Max(s.texts), median(s.refs), s.allowed(), s.made)
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// scrubTo moves the slider to a fraction of the run, and returns when that was drawn.
func (p *page) scrubTo(fraction float64) {
	p.t.Helper()
	eval[any](p, fmt.Sprintf(`new Promise((done) => {
		const slider = document.querySelector(".scrub");
		slider.value = String(Math.round(Number(slider.max) * %f));
		slider.dispatchEvent(new Event("input", {bubbles: true}));
		requestAnimationFrame(() => requestAnimationFrame(() => done(0)));
	})`, fraction))
}

// rest waits until the text shows the position of the slider, as it does where the slider rests.
func (p *page) rest() {
	p.t.Helper()
	eval[any](p, `new Promise((done) => {
		const seq = document.querySelector(".scrub").getAttribute("aria-valuetext").split(":")[0];
		const look = () => document.querySelector(".e.on[data-seq='" + seq + "']") || document.querySelector(".then") === null ? done(0) : setTimeout(look, 20);
		look();
	})`)
}

// reference is work of the same kind as that of a frame, and always as much of it: a text is
// made of elements and written out. It is never in the document, so that it takes as long in
// any page.
const reference = `(() => {
	const box = document.createElement("div");
	for (let i = 0; i < 2000; i++) {
		const row = document.createElement("div");
		row.className = "row " + i;
		for (let k = 0; k < 3; k++) row.append(document.createElement("span"), "part " + k + " of row " + i);
		box.append(row);
	}
	return box.innerHTML.length;
})()`

// countMade makes the page count the elements that are made.
const countMade = `window.made = 0; window.counting ??= new MutationObserver((all) => {
	for (const m of all) for (const n of m.addedNodes) made += n.nodeType === 1 ? 1 + n.querySelectorAll("*").length : 0;
}).observe(document.body, {childList: true, subtree: true}) ?? 1; 0`

// working returns for how many milliseconds the page's thread worked on an action.
func (p *page) working(do func()) float64 {
	p.t.Helper()
	before := p.threadTime()
	do()
	return (p.threadTime() - before) * 1000
}

// measureThread makes threadTime count the processor time of the page's thread, and not the
// time of the clock, so that other load on the machine does not count.
func (p *page) measureThread() {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
		p.t.Fatal(err)
	}
}

// threadTime returns for how many seconds the page's thread has worked.
func (p *page) threadTime() float64 {
	p.t.Helper()
	r, err := chromedp.Call(p.ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, m := range r.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	p.t.Fatal("there is no TaskDuration")
	return 0
}

// answer answers requests for a pattern of addresses in the place of the server.
func (p *page) answer(pattern string, body []byte) {
	p.t.Helper()
	go func() {
		for e, err := range chromedp.Events(p.ctx, fetch.RequestPaused) {
			if err != nil {
				return
			}
			_, _ = chromedp.Call(context.WithoutCancel(p.ctx), fetch.FulfillRequest, fetch.FulfillRequestParams{
				RequestID: e.RequestID, ResponseCode: 200, Body: body,
				ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: "application/json"}},
			})
		}
	}()
	if _, err := chromedp.Call(p.ctx, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: pattern}}}); err != nil {
		p.t.Fatal(err)
	}
}

// longSolve returns the detail of a solve in which twenty agents argue and vote on six
// proposals for a long time.
func longSolve() map[string]any {
	type row = map[string]any
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(i int) time.Time { return began.Add(time.Duration(i) * 100 * time.Millisecond) }
	ids := []string{"a", "b", "c", "d", "e", "f"}
	var said, votes, steps, rounds, proposals []row
	var lanes []string
	for a := range 20 {
		lanes = append(lanes, fmt.Sprintf("agent-%02d", a))
	}
	newest := map[string]row{}
	for i := 1; i <= long; i++ {
		by, round := lanes[i%20], (i-1)/500+1
		one := row{"seq": i, "id": fmt.Sprintf("sig_%d", i), "time": at(i), "round": round, "by": by, "sure": 0.8, "kind": "discovery", "form": "finding", "about": "argument", "text": fmt.Sprintf("finding %d of %s", i, by)}
		switch {
		case i%500 == 1:
			one["form"], one["about"], one["by"], one["text"] = "round", "system", "system", fmt.Sprintf("Round %d", round)
			rounds = append(rounds, row{"round": round, "seq": i, "time": at(i), "turns": lanes})
		case i <= 2*len(ids)+1 && i%2 == 0:
			id := ids[i/2-1]
			one["form"], one["proposal"], one["text"] = "proposal", id, "proposal "+id
			proposals = append(proposals, row{"id": id, "letter": string(rune('A' + i/2 - 1)), "seq": i, "round": 1, "by": []string{by}, "content": "proposal " + id})
		case i%5 == 0 && i > 100:
			id, stance := ids[(i/5*7+i/9000)%len(ids)], "agree"
			if i%3 == 0 {
				stance = "disagree"
			}
			one["form"], one["about"], one["proposal"], one["stance"], one["weight"] = "vote", "vote", id, stance, 0.7
			v := row{"seq": i, "round": round, "voter": by, "proposal": id, "stance": stance, "weight": 0.7, "reasoning": "because", "counts": true}
			if old := newest[by+id]; old != nil {
				v["was"] = row{"seq": old["seq"], "proposal": id, "stance": old["stance"], "weight": 0.7}
				one["was"] = v["was"]
			}
			newest[by+id] = v
			votes = append(votes, v)
			support := map[string]float64{}
			for k, id := range ids {
				support[id] = float64((i/500*(k+3)+i/50)%100) / 100
			}
			steps = append(steps, row{"seq": i, "support": support, "none": 0, "leader": ids[i/5000%6], "confidence": 0.5, "outcome": "pending", "voters": 20})
		}
		said = append(said, one)
	}
	empty := []row{}
	return row{
		"id": "long.run", "run": "long", "thread": "run", "task": "A very long question", "state": "undecided", "stop": "deadlock", "threshold": 0.7, "spark": []float64{}, "voters": 20, "quorum": 11,
		"agents": 20, "rounds": len(rounds), "signals": long, "waits": 0, "began": at(0), "updated": at(long), "seq": long, "cost": row{"calls": 0, "inputTokens": 0, "outputTokens": 0},
		"terms": row{"strategy": "voting", "threshold": 0.7, "quorum": 11, "learns": false}, "lanes": lanes, "proposals": proposals, "votes": votes, "steps": steps, "roundList": rounds, "said": said,
		"conflicts": empty, "debates": empty, "escalations": empty, "calls": empty, "costs": empty, "obstacles": empty, "rests": empty,
	}
}
