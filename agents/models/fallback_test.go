package models_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/signals"
)

// out is a model that fails with a problem.
func out(name string, problem *models.Problem) *models.Scripted {
	m := &models.Scripted{Name: name}
	m.Answer = func(context.Context, *models.Request) (*models.Answer, error) {
		return nil, &models.Error{Model: m.ID(), Problem: problem, Detail: "the words of " + name}
	}
	return m
}

func scripted(name string, texts ...string) *models.Scripted {
	m := models.Script(texts...)
	m.Name = name
	return m
}

// TestFallbackGoesOnWhereAModelIsOut asks for each problem whether the next model answers.
func TestFallbackGoesOnWhereAModelIsOut(t *testing.T) {
	for problem, want := range map[*models.Problem]bool{
		models.ErrRateLimited: true, models.ErrOverloaded: true, models.ErrTimeout: true, models.ErrConnection: true, models.ErrOpen: true,
		models.ErrCutOff: true, models.ErrMalformed: true, models.ErrNotFound: true, models.ErrQuota: true,
		models.ErrInvalid: false, models.ErrAuth: false, models.ErrBudget: false, models.ErrPrice: false, models.ErrFiltered: false, models.ErrScript: false,
	} {
		m := models.Fallback(out("a", problem), scripted("b", "yes"))
		a, err := models.Ask(t.Context(), m, &models.Request{Most: 9})
		if want && (err != nil || a.Instead == nil || a.Instead.Model.Name != "b" || !strings.Contains(a.Instead.Why, "the words of a")) {
			t.Errorf("%v: got %+v, %v", problem, a, err)
		}
		if !want && !errors.Is(err, problem) {
			t.Errorf("%v: got %v", problem, err)
		}
	}
}

func TestFallbackAsksTheFirstModelAgain(t *testing.T) {
	down := true
	first := &models.Scripted{Name: "a"}
	first.Answer = func(_ context.Context, r *models.Request) (*models.Answer, error) {
		if !r.Elsewhere {
			t.Error("the first model is not told that another answers")
		}
		if down {
			return nil, &models.Error{Problem: models.ErrOverloaded}
		}
		return models.Text("back"), nil
	}
	m := models.Fallback(first, scripted("b", "meanwhile"))
	for _, want := range []string{"meanwhile", "back"} {
		a, err := m.Ask(t.Context(), &models.Request{Most: 9})
		if err != nil || a.Text != want || (a.Instead != nil) != down {
			t.Errorf("got %+v, %v, want %s", a, err, want)
		}
		down = false
	}
}

func TestFallbackEndsWithTheLastErrorAndNamesAll(t *testing.T) {
	_, err := models.Fallback(out("a", models.ErrNotFound), out("b", models.ErrOverloaded), out("c", models.ErrTimeout)).Ask(t.Context(), &models.Request{Most: 9})
	if !errors.Is(err, models.ErrTimeout) || !agents.IsOutage(err) || !strings.Contains(err.Error(), "words of a") || !strings.Contains(err.Error(), "words of b") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := models.Fallback(scripted("a", "yes"), scripted("b", "yes")).Ask(ctx, &models.Request{Most: 9}); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "after") {
		t.Errorf("cancelled: %v", err)
	}
}

type hook func(op hooks.Op, err error)

func (h hook) Start(ctx context.Context, op hooks.Op) (context.Context, hooks.End) {
	return ctx, func(_ any, err error) { h(op, err) }
}

func (hook) Note(context.Context, any) {}

func (hook) Trace(context.Context) *signals.Trace { return nil }

// TestFallbackReportsEachCallAsOneOfItsModel has a fallback in a fallback.
func TestFallbackReportsEachCallAsOneOfItsModel(t *testing.T) {
	var asked []string
	var spent agents.Cost
	ctx := agents.WithSpending(hooks.With(t.Context(), hook(func(op hooks.Op, err error) {
		asked = append(asked, op.Target+map[bool]string{true: " failed"}[err != nil])
	})), func(c agents.Cost) { spent = spent.Plus(c) })
	var pieces []models.Piece
	m := models.Fallback(out("a", models.ErrQuota), models.Fallback(out("b", models.ErrOverloaded), scripted("c", "yes")))
	a, err := models.Ask(ctx, m, &models.Request{Most: 9, Show: func(p models.Piece) { pieces = append(pieces, p) }})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a failed", "b failed", "c"}, asked); diff != "" {
		t.Error(diff)
	}
	if spent.Calls != 3 || a.Instead.Model.Name != "c" || m.ID().Name != "a" || !strings.Contains(a.Instead.Why, "words of a") || !strings.Contains(a.Instead.Why, "words of b") {
		t.Errorf("%+v, %+v", spent, a.Instead)
	}
	if diff := cmp.Diff([]models.Piece{{Text: "yes"}}, pieces); diff != "" {
		t.Error(diff)
	}
}
