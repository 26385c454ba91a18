package limits_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
)

func TestEveryPartOfARequestIsInItsBound(t *testing.T) {
	r := &models.Request{
		System: "s", Schema: &models.Schema{Name: "n", JSON: json.RawMessage("{}")},
		Messages: []models.Message{{Role: models.RoleUser, Text: "t", Calls: []models.Call{{}}, Results: []models.Result{{}}}}, Tools: []models.Tool{{}},
	}
	texts := 0
	var lengthen func(path string, v reflect.Value)
	lengthen = func(path string, v reflect.Value) {
		switch {
		case v.Type() == reflect.TypeFor[models.Role]():
		case v.Kind() == reflect.String, v.Type() == reflect.TypeFor[json.RawMessage]():
			texts++
			before, longer := limits.Bound(r), reflect.ValueOf(strings.Repeat("x", v.Len()+10)).Convert(v.Type())
			v.Set(longer)
			if got := limits.Bound(r) - before; got != 10 {
				t.Errorf("ten bytes more of %s count %d", path, got)
			}
		case v.Kind() == reflect.Pointer && !v.IsNil():
			lengthen(path, v.Elem())
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				lengthen(path, v.Index(i))
			}
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				lengthen(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		}
	}
	lengthen("request", reflect.ValueOf(r))
	if texts != 12 {
		t.Errorf("found %d texts, want 12", texts)
	}
}

func TestBoundCountsEveryByteThatIsSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 50, -1)
		r := &models.Request{System: text.Draw(t, "system")}
		sent := len(r.System)
		for range rapid.IntRange(0, 4).Draw(t, "messages") {
			m := models.Message{
				Text:    text.Draw(t, "text"),
				Calls:   []models.Call{{ID: text.Draw(t, "id"), Name: text.Draw(t, "name"), Args: []byte(text.Draw(t, "args"))}},
				Results: []models.Result{{Call: text.Draw(t, "call"), Text: text.Draw(t, "result")}},
			}
			sent += len(m.Text) + len(m.Calls[0].ID) + len(m.Calls[0].Name) + len(m.Calls[0].Args) + len(m.Results[0].Call) + len(m.Results[0].Text)
			r.Messages = append(r.Messages, m)
		}
		if rapid.Bool().Draw(t, "schema") {
			r.Schema = &models.Schema{Name: text.Draw(t, "schemaName"), JSON: []byte(text.Draw(t, "json"))}
			r.Tools = []models.Tool{{Name: text.Draw(t, "tool"), Description: text.Draw(t, "about"), Schema: []byte(text.Draw(t, "of"))}}
			sent += len(r.Schema.Name) + len(r.Schema.JSON) + len(r.Tools[0].Name) + len(r.Tools[0].Description) + len(r.Tools[0].Schema)
		}
		if got := limits.Bound(r); got < sent {
			t.Fatalf("bound %d of %d bytes", got, sent)
		}
	})
}

func TestBoundCountsAByteThatIsNotUTF8AsItIsSent(t *testing.T) {
	bad := strings.Repeat("\xff", 100)
	less := limits.Bound(&models.Request{Messages: []models.Message{{}}})
	if got := limits.Bound(&models.Request{Messages: []models.Message{models.User(bad)}}) - less; got != 300 {
		t.Errorf("%d bytes that are not UTF-8 count as %d", len(bad), got)
	}
}

func TestUsageThatMakesNoSenseIsBookedAsTheReservation(t *testing.T) {
	for name, u := range map[string]models.Usage{
		"minus one each":    {Input: -1, Output: -1},
		"negative":          {Input: -1_000_000},
		"too much":          {Input: math.MaxInt},
		"too much in sum":   {Input: math.MaxInt, Output: math.MaxInt},
		"negative cache":    {Input: 10, CacheRead: -1 << 40, Output: 1},
		"more in the cache": {Input: 10, CacheRead: 6, CacheWrite: 5, Output: 1},
		"a text of nothing": {Input: 1},
	} {
		b := limits.NewBudget(limits.Spend{Tokens: 10_000, Money: models.USD})
		m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
			return &models.Answer{Text: "x", Finish: models.FinishStop, Usage: u}, nil
		}}
		l := limits.New(limits.Options{Budget: b, Prices: map[models.ID]models.Price{id: {Input: 1, CacheRead: 0.1, Output: 1}}}).Limit(m)
		if _, err := l.Ask(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		if k := b.Account(); k.Spent.Tokens != limits.Bound(request)+request.Most || k.Spent.Money <= 0 || k.Open != k.Spent {
			t.Errorf("%s: got %+v", name, k)
		}
	}
}

func TestSumsThatCannotBeCountedStayTooHigh(t *testing.T) {
	b := limits.NewBudget(limits.Spend{Tokens: 1000})
	for range 3 {
		b.Book(limits.Change{Used: limits.Spend{Tokens: math.MaxInt - 1, Money: math.MaxInt64 - 1}})
	}
	if k := b.Account(); k.Spent != (limits.Spend{Tokens: math.MaxInt, Money: math.MaxInt64}) {
		t.Errorf("got %v", k.Spent)
	}
	if _, err := limits.New(limits.Options{Budget: b}).Limit(failing(0, nil).model()).Ask(t.Context(), request); !errors.Is(err, models.ErrBudget) {
		t.Errorf("got %v", err)
	}
}

func TestAnAnswerNeedsABoundThatCanBeReserved(t *testing.T) {
	for _, most := range []int{-5000, -1, 0, math.MaxInt} {
		r, c := *request, failing(0, nil)
		r.Most = most
		if _, err := limits.New(limits.Options{}).Limit(c.model()).Ask(t.Context(), &r); !errors.Is(err, models.ErrInvalid) || len(c.at) > 0 {
			t.Errorf("%d: %d calls, %v", most, len(c.at), err)
		}
	}
}
