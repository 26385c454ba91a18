package mcp

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
)

// A Spec describes a server: a Command or a URL. It holds no secrets, only the names of the
// variables that have them.
type Spec struct {
	Name string `json:"name"` // 1 to 32 letters, digits, _ and -: the tools are name/tool

	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Dir     string   `json:"dir,omitempty"` // working directory of the command; "": ours
	Env     []string `json:"env,omitempty"` // names of the variables that the command gets beside the basic ones

	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"` // the name of the variable with the value of each header
	Login   *Login            `json:"login,omitempty"`   // for a server that wants one, unless Headers have an Authorization

	Connect time.Duration `json:"connect,omitempty"` // for starting and for reading the list of tools; 0: 30s
	Limits  tools.Limits  `json:"limits,omitzero"`
}

// Options of [Open]. Nil works.
type Options struct {
	// Stderr receives the command's standard error, line by line, with the server's name
	// and without control characters. Nil: it is only kept.
	Stderr io.Writer
	// Lookup returns a variable of the environment. Nil: [os.LookupEnv].
	Lookup func(name string) (string, bool)
	// Login shows a person the address at which they can log in to a server. The connection or the
	// call waits for that for at most five minutes. Nil: nobody can be asked, which is an error.
	Login func(address string)
	// Logins is the directory of the files, for their owner alone, that keep the tokens of logins.
	// Empty: they are kept while the server is open.
	Logins string
}

// basic are the variables that every command gets.
var basic = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "PATHEXT", "APPDATA", "USERPROFILE"}

var serverName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,32}$`)

// Validate returns an error with a [*signals.FieldError] for the first field that breaks a
// rule.
func (s Spec) Validate() error {
	wrong := func(field, value, problem string) error {
		return fmt.Errorf("mcp: server %q: %w", s.Name, &signals.FieldError{Field: "server." + field, Value: value, Problem: problem})
	}
	switch {
	case !serverName.MatchString(s.Name):
		return wrong("name", s.Name, "not 1 to 32 letters, digits, _ and -")
	case (s.Command == "") == (s.URL == ""):
		return wrong("command", s.Command, "a server has either a command or a url")
	case s.URL == "" && (len(s.Headers) > 0 || s.Login != nil):
		return wrong("headers", "", "only a server with a url has headers and a login")
	case s.Command == "" && len(s.Args)+len(s.Env)+len(s.Dir) > 0:
		return wrong("args", strings.Join(s.Args, " "), "only a server with a command has args, dir and env")
	case s.Connect < 0:
		return wrong("connect", s.Connect.String(), "is less than 0")
	}
	if field, problem := s.Login.validate(); field != "" {
		return wrong(field, "", problem)
	}
	if s.URL != "" {
		u, err := url.Parse(s.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			return wrong("url", scheme(s.URL)+"…", "not an http or https URL without a user")
		}
	}
	return nil
}

// scheme returns the part of a wrong URL that can be shown: the rest may have a password.
func scheme(text string) string {
	before, _, _ := strings.Cut(text, ":")
	return fmt.Sprintf("%.10s", before)
}

// lookUp returns the values of variables, by name.
func (s Spec) lookUp(o *Options) (map[string]string, error) {
	lookup := os.LookupEnv
	if o != nil && o.Lookup != nil {
		lookup = o.Lookup
	}
	values := map[string]string{}
	need := func(name string) error {
		value, ok := lookup(name)
		if !ok {
			return fmt.Errorf("mcp: server %s: the variable %s is not set", s.Name, name)
		}
		values[name] = value
		return nil
	}
	for _, name := range s.Env {
		if err := need(name); err != nil {
			return nil, err
		}
	}
	for _, name := range s.Headers {
		if err := need(name); err != nil {
			return nil, err
		}
	}
	if s.Login != nil && s.Login.Secret != "" {
		if err := need(s.Login.Secret); err != nil {
			return nil, err
		}
	}
	if s.Command != "" {
		for _, name := range basic {
			if value, ok := lookup(name); ok {
				values[name] = value
			}
		}
	}
	return values, nil
}
