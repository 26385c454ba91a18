package browser_test

import (
	"fmt"
	"testing"
)

type openItem struct {
	ID, Solve, Type string
	Open            bool
	Options         []struct {
		Proposal, Content string
		Support           float64
	}
	Answer *struct{ Vote, Verdict string }
	Tool   *struct{ Detail string }
}

// A person chooses the first option, and while they read the votes for it are taken back: it moves
// down the list, stays chosen, and the answer votes for it.
func TestAChosenOptionStaysChosenWhenTheListMoves(t *testing.T) {
	t.Parallel()
	p := inInbox(t, demo(t))
	var item openItem
	for _, i := range api[[]openItem](p, "inbox") {
		if i.Type == "question" {
			item = i
		}
	}
	if len(item.Options) < 2 {
		t.Fatalf("the question has the options %+v", item.Options)
	}
	first := item.Options[0]
	for _, o := range item.Options {
		if o.Support > first.Support {
			first = o
		}
	}
	p.click(".opt", first.Content)
	p.wait(`document.querySelectorAll(".opt")[0].getAttribute("aria-checked") === "true"`)
	detail := api[struct {
		Votes []struct {
			Seq      int
			Proposal string
			Stance   string
		}
	}](p, "solves/"+item.Solve)
	for _, v := range detail.Votes {
		if v.Proposal == first.Proposal && v.Stance == "agree" {
			eval[string](p, fmt.Sprintf(`fetch("/api/solves/%s/retractions", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({seq: %d, reason: "a mistake"})}).then((r) => r.text())`, item.Solve, v.Seq))
		}
	}
	p.wait(`document.querySelectorAll(".opt")[0].getAttribute("aria-checked") === "false" && document.querySelector('.opt[aria-checked="true"]').innerText.includes(` + quote(first.Content) + `)`)
	p.click(".act button", "Send answer")
	p.see(".said", "Answered by you: for")
	if got := api[openItem](p, "inbox/"+item.ID); got.Answer == nil || got.Answer.Vote != first.Proposal {
		t.Errorf("the answer is %+v, want a vote for %s", got.Answer, first.Proposal)
	}
}

// What a person reads of a call is what the server made from the bytes that the tool gets.
func TestTheCallIsShownAsTheServerRendersIt(t *testing.T) {
	s := asking(t)
	p := open(t, s)
	p.key("c")
	p.see("dialog", "What should be decided?")
	p.write("textarea[name=task]", "When should the payments run?")
	p.click("dialog button.p", "Start")
	p.wait(`!document.querySelector("dialog") && location.pathname.startsWith("/solves/")`)
	p.press("g")
	p.press("i")
	p.see(".act", "Approve once")
	for _, i := range api[[]openItem](p, "inbox") {
		if i.Tool != nil {
			p.wait(`document.querySelector(".det .cmd").textContent === ` + quote(i.Tool.Detail))
		}
	}
}
