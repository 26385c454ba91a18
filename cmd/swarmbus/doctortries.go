package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/otel/export"
	"github.com/swarmbus/swarmbus/swarm/console/open"
	"github.com/swarmbus/swarmbus/swarm/teams"
	"github.com/swarmbus/swarmbus/swarm/teams/providers"
)

// A doctor tries what a team needs.
type doctor struct {
	flags *doctorFlags
	team  *teams.Team
	notes io.Writer
}

// variables are those with secrets.
func (d *doctor) variables() (all []teams.Variable) {
	for _, m := range d.team.Models {
		all = slices.AppendSeq(append(all, providers.KeyOf(m)), maps.Values(m.Headers))
	}
	for _, s := range d.team.Servers {
		all = append(all, s.Env...)
		all = slices.AppendSeq(all, maps.Values(s.Headers))
		if s.Login != nil {
			all = append(all, s.Login.Secret)
		}
	}
	if d.team.Memory != nil {
		all = append(all, d.team.Memory.Postgres())
	}
	return all
}

func (d *doctor) all(ctx context.Context) iter.Seq[finding] {
	return func(yield func(finding) bool) {
		tries := []func(context.Context) finding{}
		for _, name := range slices.Sorted(maps.Keys(d.team.Models)) {
			tries = append(tries, func(ctx context.Context) finding { return d.model(ctx, name) })
		}
		for _, name := range slices.Sorted(maps.Keys(d.team.Servers)) {
			tries = append(tries, func(ctx context.Context) finding { return d.server(ctx, name) })
		}
		if d.team.Memory != nil {
			tries = append(tries, d.memory)
		}
		tries = append(tries, d.journal)
		if receiver() != "" {
			tries = append(tries, d.otlp)
		}
		for _, one := range tries {
			limited, cancel := context.WithTimeoutCause(ctx, d.flags.timeout, fmt.Errorf("no answer within %v", d.flags.timeout))
			found := one(limited)
			cancel()
			if ctx.Err() != nil || !yield(found) {
				return
			}
		}
	}
}

// model asks a model for a word.
func (d *doctor) model(ctx context.Context, name string) finding {
	about := d.team.Models[name]
	return try("model", name, func() (string, error) {
		if d.team.Embeds(name) {
			return embeds(ctx, about)
		}
		m, err := providers.Model(about)
		if err != nil {
			return "", err
		}
		a, err := m.Ask(ctx, &models.Request{Messages: []models.Message{models.User("Answer with the word ok.")}, Most: 256})
		if errors.Is(err, models.ErrCutOff) && ctx.Err() == nil { // it answers, at length
			return about.ID().String() + " answers, but not briefly", nil
		}
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s answers, with %d tokens in and %d out", about.ID(), a.Usage.Input, a.Usage.Output), nil
	}, func(err error) string {
		variable := providers.KeyOf(about)
		switch {
		case errors.Is(err, models.ErrAuth) || variable != "" && os.Getenv(string(variable)) == "":
			return fmt.Sprintf("set %s to a key of %s", cmp.Or(variable, "the model's key"), about.Provider)
		case errors.Is(err, models.ErrNotFound):
			return "look at the provider's list of models, and at the path of the base URL"
		case errors.Is(err, models.ErrQuota):
			return "the account needs credit"
		case errors.Is(err, models.ErrConnection) && about.Provider == teams.Ollama:
			return "start Ollama (ollama serve), or set the base URL"
		case errors.Is(err, models.ErrConnection):
			return "look at the base URL, the network and the proxy"
		case errors.Is(err, models.ErrRateLimited) || errors.Is(err, models.ErrOverloaded):
			return "wait, or set the model's limits"
		}
		return "look at the model's entry in the team, and at the variables that it names"
	})
}

// server starts a server, which lists its tools.
func (d *doctor) server(ctx context.Context, name string) finding {
	return try("server", name, func() (string, error) {
		var with open.Options
		if d.team.Servers[name].URL != "" {
			with.Stderr = d.notes // a login may be asked for
		}
		s, err := with.Server(ctx, name, d.team.Servers[name])
		if err != nil {
			return "", err
		}
		defer s.Close() //nolint:errcheck // nothing is written
		all, err := s.Tools(ctx)
		if err != nil {
			return "", err
		}
		var names []string
		for _, t := range all {
			names = append(names, t.Name)
			if t.Unchecked != "" {
				names[len(names)-1] += " (its arguments are checked by the server alone: " + t.Unchecked + ")"
			}
		}
		if err := d.team.CheckTools(name, all); err != nil {
			return "", err
		}
		detail := fmt.Sprintf("%s: %s", text.Plural(len(all), "tool"), strings.Join(names, ", "))
		if left := s.LeftOut(); len(left) > 0 {
			return "", fmt.Errorf("%s; left out: %w", detail, errors.Join(left...))
		}
		return detail, nil
	}, func(err error) string {
		if misspelt := (*teams.Error)(nil); errors.As(err, &misspelt) {
			return "name a tool that the server has"
		}
		if command := d.team.Servers[name].Command; len(command) > 0 {
			return "run it by hand: " + strings.Join(command, " ")
		}
		return "look at the url, the network, and the variables of the headers"
	})
}

// journal writes a file where runs are recorded.
func (d *doctor) journal(context.Context) finding {
	path, err := runs.Path(cmp.Or(d.team.Journal, "doctor"))
	dir := filepath.Dir(path)
	return try("journal", dir, func() (string, error) {
		if err == nil {
			err = os.MkdirAll(dir, 0o700)
		}
		if err != nil {
			return "", err
		}
		file, err := os.CreateTemp(dir, "doctor-*")
		if err != nil {
			return "", err
		}
		defer os.Remove(file.Name()) //nolint:errcheck // it is empty
		_, err = file.WriteString("doctor\n")
		return "written and synced", errors.Join(err, file.Sync(), file.Close())
	}, func(error) string { return "make the directory writable, or set XDG_STATE_HOME or the team's journal" })
}

// receiver returns the OTLP receiver that the environment names; "": none.
func receiver() string {
	return cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
}

// otlp sends a span.
func (d *doctor) otlp(ctx context.Context) finding {
	name := receiver()
	if at := strings.LastIndex(name, "@"); at >= 0 {
		name = "…" + name[at:]
	}
	return try("otlp", name, func() (string, error) {
		p, err := export.New(ctx, &export.Options{Service: "swarmbus", NoMetrics: true, Patience: d.flags.timeout})
		if err != nil {
			return "", err
		}
		_, end := hooks.Start(hooks.With(ctx, p.Observer), hooks.Op{Name: hooks.OpTool, Target: "doctor"})
		end(nil, nil)
		account := p.Close()
		if account.Sent == 0 {
			return "", fmt.Errorf("the span was not accepted: %s", cmp.Or(account.Why, "no reason is known"))
		}
		found := "a span was accepted"
		if ignored := errors.Join(p.Ignored...); ignored != nil {
			found += "; ignored: " + strings.ReplaceAll(ignored.Error(), "\n", "; ")
		}
		return found, nil
	}, func(error) string { return "start the receiver, or look at the OTEL_EXPORTER_OTLP_* variables" })
}
