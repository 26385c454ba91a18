package thinker

import (
	"encoding/json"
	"fmt"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/reports"
)

// reportAsked connects the instructions for an answer with those for a report.
const reportAsked = `

Your answer has a member "report" beside "say": a turn report, or null if you have none. Its turn_id, worker_id, task_id and model are filled in for you: write "".

`

// report requests a turn report in the answer, if the agent writes reports.
func (th *thought) report() error {
	if th.Reports == nil {
		return nil
	}
	text, err := reports.Instructions(th.Reports)
	if err != nil {
		return err
	}
	th.ask.System += reportAsked + text
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(th.ask.Schema.JSON, &answer); err != nil {
		return err
	}
	var say struct {
		Say json.RawMessage `json:"say"`
	}
	if err := json.Unmarshal(answer["properties"], &say); err != nil {
		return err
	}
	both, err := json.Marshal(object(
		property{"say", say.Say},
		property{"report", map[string]any{"anyOf": []any{reports.Schema(), map[string]any{"type": "null"}}}},
	))
	th.ask.Schema = &models.Schema{Name: th.ask.Schema.Name, JSON: both}
	return err
}

// read converts an answer to signals, with the report in it.
func (th *thought) read(a *models.Answer) reading {
	r := th.view.read(a, th.forms)
	var with struct {
		Report json.RawMessage `json:"report"`
	}
	if th.Reports == nil || json.Unmarshal([]byte(unfenced(a.Text)), &with) != nil || len(with.Report) == 0 || string(with.Report) == "null" {
		return r
	}
	v := th.view
	said, err := reports.NewTurn(fmt.Sprintf("%s/%d", v.Thread, v.Round), reports.Worker{ID: th.ID, Task: v.Thread, Model: th.model.ID().String()}, with.Report)
	if err != nil {
		r.problems = append(r.problems, fmt.Sprintf("the report: %v", err))
		return r
	}
	r.signals = append(r.signals, said)
	return r
}
