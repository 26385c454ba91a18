package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/internal/yamlfile"
	"github.com/swarmbus/swarmbus/swarm/console/guard"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/console/join"
	"github.com/swarmbus/swarmbus/swarm/console/open"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// serveConfig is the file of serve.
type serveConfig struct {
	Addr   string   `json:"addr"`
	Dir    string   `json:"dir"`
	Teams  []teamAt `json:"teams"`
	Office officeAt `json:"office"`
	TLS    struct {
		Cert string `json:"cert"`
		Key  string `json:"key"`
	} `json:"tls"`
	Hosts   []string `json:"hosts"`
	URL     string   `json:"url"`
	Trusted []string `json:"trusted"`
	Jaeger  string   `json:"jaeger"`

	Identity *guard.Identity `json:"identity"`

	tls certificate
}

// publicURL reads the URL at which clients find a server; "": none.
func publicURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	of, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	if of.Scheme != "https" && of.Scheme != "http" || of.Host == "" || of.User != nil || of.RawQuery != "" || of.Fragment != "" || strings.Contains(of.Path, "//") || strings.Contains(of.EscapedPath(), "%") {
		return nil, fmt.Errorf("%q is not a URL such as https://console.example.org/swarm/", text)
	}
	of.Host = strings.ToLower(of.Host) // as browsers have it
	of.Host = strings.TrimSuffix(of.Host, map[string]string{"https": ":443", "http": ":80"}[of.Scheme])
	return of, nil
}

// teamAt is a team of the file, ready-made or of a file of its own, and with --nats the stream
// that has its solves, if it is not --stream. It may be written as its name alone.
type teamAt struct {
	Team   string `json:"team"`
	Stream string `json:"stream"`
}

// UnmarshalYAML reads a name, or all fields.
func (a *teamAt) UnmarshalYAML(read func(any) error) error {
	if read(&a.Team) == nil {
		return nil
	}
	type fields teamAt
	return read((*fields)(a))
}

// read reads the file, if there is one; flags win.
func (f *serveFlags) read() (*serveConfig, error) {
	c := &serveConfig{}
	if f.config != "" {
		text, err := text.ReadFile(f.config, 1<<20)
		if err != nil {
			return nil, err
		}
		if err := yamlfile.New(f.config).Decode(text, c); err != nil {
			return nil, cli.Usage(err)
		}
		c.beside(f.config)
	}
	c.Addr, c.Dir, c.Jaeger, c.URL = cmp.Or(f.addr, c.Addr, defaultAddr), cmp.Or(f.dir, c.Dir), cmp.Or(f.jaeger, c.Jaeger), cmp.Or(f.url, c.URL)
	if (c.TLS.Cert == "") != (c.TLS.Key == "") {
		return nil, cli.Usage(errors.New("tls needs cert and key"))
	}
	return c, nil
}

// beside makes paths of the file relative to it, as they are meant wherever serve is started.
func (c *serveConfig) beside(file string) {
	paths := []*string{&c.Dir, &c.TLS.Cert, &c.TLS.Key, &c.Office.File, &c.Office.Keys}
	for i := range c.Teams {
		if strings.ContainsAny(c.Teams[i].Team, `./\`) { // others are names
			paths = append(paths, &c.Teams[i].Team)
		}
	}
	for _, path := range paths {
		if dir := filepath.Dir(file); *path != "" && dir != "." && !filepath.IsAbs(*path) {
			*path = filepath.Join(dir, *path)
		}
	}
}

// claimed are the files that have the names of teams and of their journals.
type claimed map[string]string

// claim refuses a team whose name, or journal, another file has.
func (c claimed) claim(name, run, file string) error {
	for _, each := range [][2]string{{"the team", name}, {"the journal", run}} {
		what, of := each[0], each[1]
		if other, twice := c[what+of]; twice {
			return cli.Usage(fmt.Errorf("%s and %s have both %s %q: give one of them another name", other, file, what, of))
		}
		c[what+of] = file
	}
	return nil
}

// shortName returns the name of what is in a file: that of the file.
func shortName(file string) string {
	return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
}

// teamName returns the name of a team: its own, if that can be one in an address, else that of its
// file.
func teamName(file *teams.Team, path string) string {
	if file.Name == "" || strings.Contains(file.Name, ".") || events.CheckName("team", file.Name) != nil {
		return shortName(path)
	}
	return file.Name
}

// teams adds the teams of the file to the options, and returns the desk of their agents that
// join; nil: none does.
func (c *serveConfig) teams(o *host.Options, progress io.Writer) (*join.Desk, error) {
	var files []*teams.Team
	for _, at := range c.Teams {
		file, err := teams.Load(at.Team)
		if err != nil {
			return nil, fmt.Errorf("teams in the file of --config: %w", err)
		}
		files = append(files, file)
	}
	joins, err := deskOf(files, progress)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	with := open.With(open.Options{Dir: dir, Stderr: progress})
	if joins != nil {
		with.Joined = func(context.Context, *teams.Team) (func() agents.Reactor, func() error, error) {
			return joins.Reactor, nil, nil
		}
	}
	names := claimed{}
	for i, file := range files {
		if err := names.claim(teamName(file, c.Teams[i].Team), shortName(c.Teams[i].Team), c.Teams[i].Team); err != nil {
			return nil, err
		}
		team := desk.Team{Name: teamName(file, c.Teams[i].Team), File: file, Open: desk.Opener(file, with)}
		o.Teams = append(o.Teams, host.Team{Team: team, Run: shortName(c.Teams[i].Team)})
	}
	return joins, nil
}
