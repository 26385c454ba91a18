package a2a_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/a2a"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

func TestAMessageThatIsSentAgainBeginsNoOtherTask(t *testing.T) {
	t.Parallel()
	s := start(t, 0, a2a.Options{})
	sent := `{"message":{"kind":"message","messageId":"m 1","contextId":"trip/7","role":"user","parts":[` + text(orders) + `]}}`
	first, again := s.call("message/send", sent), s.call("message/send", sent)
	if first.Error != nil || first.Result.ContextID != "trip/7" || again.Result.ID != first.Result.ID || again.Result.ContextID != "trip/7" {
		t.Errorf("got %+v, then %+v", first, again)
	}
	elsewhere := s.call("message/send", strings.Replace(sent, "trip/7", "trip/8", 1))
	if elsewhere.Error != nil || elsewhere.Result.ID == first.Result.ID || elsewhere.Result.ContextID != "trip/8" {
		t.Errorf("in another context: got %+v", elsewhere)
	}
	all, err := s.backend.Solves.List(t.Context(), api.SolvesQuery{Limit: 9})
	if err != nil || len(all) != 2 {
		t.Errorf("got %d solves: %v", len(all), err)
	}
}

func TestWhatFollowsAnEndedTaskRefersToIt(t *testing.T) {
	t.Parallel()
	s := start(t, 0, a2a.Options{})
	first := s.call("message/send", says("", text(orders)))
	late := s.call("message/send", says(first.Result.ID, text("And the customers table?")))
	if late.Error == nil || late.Error.Code != -32004 || !strings.Contains(fmt.Sprint(late.Error.Data), "referenceTaskIds") {
		t.Errorf("to the task: got %+v", late.Error)
	}
	refers := `{"message":{"kind":"message","messageId":"next","role":"user","contextId":"` + first.Result.ContextID + `","referenceTaskIds":["` + first.Result.ID + `"],"parts":[` + text(orders) + `]}}`
	next := s.call("message/send", refers)
	if next.Error != nil || next.Result.ContextID != first.Result.ContextID || next.Result.ID == first.Result.ID {
		t.Fatalf("got %+v %+v", next.Error, next.Result)
	}
	d, err := s.backend.Solves.Get(t.Context(), next.Result.ID, 0)
	if err != nil || !strings.Contains(d.Context, "An earlier task was: "+orders) || !strings.Contains(d.Context, "The answer was: ") {
		t.Errorf("got %q %v", d.Context, err)
	}
	if other := s.call("message/send", strings.Replace(refers, first.Result.ID+`"],`, `gone"],`, 1)); other.Error == nil || other.Error.Code != -32001 {
		t.Errorf("of a task that is not there: got %+v", other)
	}
}

// only has some of the teams of a backend.
type only struct {
	api.Solves
	teams []api.Team
}

// Teams implements [api.Solves].
func (o only) Teams(context.Context) ([]api.Team, error) { return o.teams, nil }

func TestTheCardOfTheOnlyTeamIsForEverybody(t *testing.T) {
	t.Parallel()
	s := start(t, 0, a2a.Options{})
	several, err := a2a.New(t.Context(), a2a.Options{Backend: s.backend})
	if err != nil {
		t.Fatal(err)
	}
	teams, err := s.backend.Solves.Teams(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one, err := a2a.New(t.Context(), a2a.Options{Backend: &api.Backend{Solves: only{s.backend.Solves, teams[:1]}}})
	if err != nil {
		t.Fatal(err)
	}
	for of, want := range map[*a2a.Server]int{several: http.StatusNotFound, one: http.StatusOK} {
		w := httptest.NewRecorder()
		of.Card(w, httptest.NewRequest(http.MethodGet, a2a.CardPath, nil))
		if w.Code != want || strings.Contains(w.Body.String(), teams[0].Agents[0]) || w.Code == http.StatusOK && !strings.Contains(w.Body.String(), a2a.Prefix+teams[0].Name) {
			t.Errorf("got %d %s", w.Code, w.Body)
		}
	}
}
