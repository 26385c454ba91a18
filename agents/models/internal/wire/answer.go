package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
)

// An Answer is the part of an answer received so far, by whatever protocol.
type Answer struct {
	Asked *models.Request
	Model string // that answers, by the server's name
	Begun bool   // what has come has the form of an answer
	Stray string // what came and is no part of one
	// Whole says that the answer is a body of its own, which ends where that does.
	Whole   bool
	Refused Text // why the model does not answer

	text   Text
	calls  calls
	kept   members
	finish finish
}

// Text returns the text so far, as it arrived.
func (a *Answer) Text() string { return a.text.Raw() }

// Say adds to the text.
func (a *Answer) Say(text string) { a.show(a.text.Add(text)) }

// End reads the reason to stop of an object, if it gives one.
func (a *Answer) End(o Object) { a.finish.add(o) }

// Call adds a part of a call. Where it stands among several tells them apart if nothing else does.
func (a *Answer) Call(o Object, place string) { a.calls.add(o, place, a.Asked.Tools) }

// Keep adds the members of a message, apart from those that are read, to what goes back to the model.
func (a *Answer) Keep(o Object, read ...string) { a.kept.add(o, read...) }

// Again drops what has come: the answer starts over.
func (a *Answer) Again() {
	if a.Text() != "" && a.Asked.Show != nil {
		a.Asked.Show(models.Piece{Again: true})
	}
	*a = Answer{Asked: a.Asked, Model: a.Model, Begun: true}
}

func (a *Answer) show(text string) {
	if text != "" && a.Asked.Show != nil {
		a.Asked.Show(models.Piece{Text: text})
	}
}

// shows shows a text in place of what was shown.
func (a *Answer) shows(text string) {
	if text != a.text.String() && a.Asked.Show != nil {
		a.Asked.Show(models.Piece{Text: text, Again: true})
	}
}

// Answer returns the answer if it is complete.
func (a *Answer) Answer(id models.ID, r *Response, used models.Usage) (*models.Answer, error) {
	a.show(a.text.Rest())
	if refused := a.Refused.String(); refused != "" || a.finish.why == filtered {
		return nil, r.Problem(models.ErrFiltered, cmp.Or(refused, a.text.String(), a.finish.word))
	}
	to := &models.Answer{Text: a.text.String(), Finish: a.finish.why, Model: a.Model, Usage: used}
	switch words := cmp.Or(r.Words(), a.Stray); {
	case a.finish.why == broken:
		return nil, r.Problem(models.ErrCutOff, fmt.Sprintf("finish reason %s %s", a.finish.word, words))
	case a.finish.why == "" && a.Whole:
		to.Finish = models.FinishStop
	case a.finish.why == "":
		return nil, a.unended(r, words)
	case a.finish.odd:
		to.Notes = append(to.Notes, fmt.Sprintf("the finish reason %.60q is not known: it is taken for an end", a.finish.word))
	}
	if len(a.calls) == 0 && len(a.Asked.Tools) > 0 && !a.Asked.NoCalls && to.Finish != models.FinishLength {
		if calls, text := written(to.Text, a.Asked.Tools); calls != nil {
			a.calls, to.Text = calls, text
			a.shows(text)
			to.Notes = append(to.Notes, "the answer has calls in its text: they are taken for calls")
		}
	}
	var err error
	if to.Calls, err = a.calls.whole(to.Finish == models.FinishLength); err != nil {
		return nil, r.Problem(models.ErrMalformed, err.Error())
	}
	to.Identify(a.Asked)
	a.answered(to)
	if len(to.Calls) > 0 && to.Finish != models.FinishLength {
		to.Finish = models.FinishCalls
	}
	if to.Finish == models.FinishCalls && len(to.Calls) == 0 {
		return nil, r.Problem(models.ErrMalformed, "the calls are missing")
	}
	if to.Usage.Input == 0 || !to.Counted() { // every prompt has tokens
		to.Usage = models.Usage{}
	}
	to.Kept = a.keep(id, len(to.Calls))
	if err := to.Validate(id); err != nil {
		return nil, err
	}
	return to, nil
}

// unended returns the error of an answer that has no end: one that breaks off, or none at
// all, which the server would not answer otherwise the next time.
func (a *Answer) unended(r *Response, words string) error {
	kind := r.Header.Get("Content-Type")
	if a.Text() == "" && len(a.calls) == 0 && (words != "" || !strings.HasPrefix(strings.ToLower(kind), "text/event-stream")) {
		e := r.Problem(models.ErrMalformed, fmt.Sprintf("the response of content type %q is no answer: %s", kind, words))
		e.Final = !a.Begun
		return e
	}
	return r.Problem(models.ErrCutOff, strings.TrimSuffix("the stream ended without a finish reason: "+words, ": "))
}

// Back returns what goes back to a model with a message that has something kept: members of the
// message and of its calls that only it knows.
func Back(k *models.Kept, to models.ID) (message Object, calls []Object) {
	var back kept
	if k != nil && k.Model == to {
		_ = json.Unmarshal(k.Data, &back)
	}
	return back.Message, back.Calls
}

type kept struct {
	Message Object   `json:"message,omitempty"`
	Calls   []Object `json:"calls,omitempty"`
}

// keep returns what goes back with the answer; nil: nothing, as for one without calls, to which
// nobody comes back.
func (a *Answer) keep(id models.ID, calls int) *models.Kept {
	to, some := kept{Message: a.kept.joined()}, len(a.kept) > 0
	for _, c := range a.calls {
		to.Calls = append(to.Calls, c.kept.joined())
		some = some || len(c.kept) > 0
	}
	data, err := json.Marshal(to)
	if err != nil || !some || calls != len(a.calls) || calls == 0 {
		return nil
	}
	return &models.Kept{Model: id, Data: data}
}
