package thinker

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
)

//go:embed prompts/*.md
var files embed.FS

// Prompts are the texts of messages to a model, as templates of package text/template
// with the fields given. Texts of agents in these fields are quoted already, except ID,
// Role, Traits and Skills, which are the program's.
type Prompts struct {
	System *template.Template // ID, Role, Traits, Skills, Forms
	Task   *template.Template // Task, Context
	News   *template.Template // Lines, LeftOut
	State  *template.Template // Round, Proposes, Lines, Inbox, Held, Own, Debate, Ask, Words
	Repair *template.Template // Problems
	Again  *template.Template
}

var defaults = func() *Prompts {
	dir, err := fs.Sub(files, "prompts")
	if err == nil {
		var p *Prompts
		if p, err = LoadPrompts(dir); err == nil {
			return p
		}
	}
	panic(err)
}()

// LoadPrompts reads system.md, task.md, news.md, state.md, repair.md and again.md from a
// directory. For missing files it uses the package's own. Each template is executed once,
// so that one with an unknown field is an error here.
func LoadPrompts(dir fs.FS) (*Prompts, error) {
	p := &Prompts{}
	for _, one := range []struct {
		name string
		to   **template.Template
		with any
	}{
		{"system", &p.System, systemData{}},
		{"task", &p.Task, taskData{}},
		{"news", &p.News, newsData{}},
		{"state", &p.State, stateData{}},
		{"repair", &p.Repair, repairData{}},
		{"again", &p.Again, struct{}{}},
	} {
		text, err := fs.ReadFile(dir, one.name+".md")
		if err != nil {
			if text, err = files.ReadFile("prompts/" + one.name + ".md"); err != nil {
				return nil, err
			}
		}
		if *one.to, err = template.New(one.name).Parse(string(text)); err == nil {
			err = (*one.to).Execute(&strings.Builder{}, one.with)
		}
		if err != nil {
			return nil, fmt.Errorf("thinker: prompt %s: %w", one.name, err)
		}
	}
	return p, nil
}

type (
	systemData struct {
		ID, Role, Traits string
		Skills, Forms    []string
	}
	taskData struct{ Task, Context string }
	newsData struct {
		Lines   []string
		LeftOut int
	}
	stateData struct {
		Round, Words       int
		Lines, Inbox, Held []string
		Own                []string // what the agent said, if it can refer to it
		Proposes           bool     // the agent may make a proposal
		Debate             string   // what to argue; "": the turn is none of a debate
		Ask                string   // what is asked for; "": whatever there is to say
	}
	repairData struct{ Problems []string }
)

// fill executes a template that LoadPrompts has checked.
func fill(t *template.Template, with any) string {
	var b strings.Builder
	if err := t.Execute(&b, with); err != nil {
		return fmt.Sprintf("(the prompt %s failed: %v)", t.Name(), err)
	}
	return strings.TrimRight(b.String(), "\n")
}
