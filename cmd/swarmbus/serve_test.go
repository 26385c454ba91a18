package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/office"
)

func TestServePrintsALinkThatOpensTheConsole(t *testing.T) {
	t.Parallel()
	link := consoleOf(t, t.TempDir())
	base, token, found := strings.Cut(link, "/#token=")
	if !found {
		t.Fatalf("it printed %q", link)
	}
	for path, want := range map[string]int{"/": http.StatusOK, "/api/solves": http.StatusOK, "/api/none": http.StatusNotFound} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode != want {
			t.Errorf("%s: status %d", path, got.StatusCode)
		}
	}
}

func TestServeRefusesUnsafeAndUnknownFlags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for want, args := range map[string][]string{
		"not a loopback address":     {"--addr", "0.0.0.0:0", "--dir", dir},
		"port: there is no such key": {"--config", file("a.yaml", "port: 1\n")},
		"needs cert and key":         {"--config", file("b.yaml", "tls: {cert: x}\n")},
		"no such file":               {"--config", filepath.Join(dir, "none.yaml")},
		"more than 1048576 bytes":    {"--config", file("c.yaml", strings.Repeat("#", 1<<20+1))},
		"at most 0 are allowed":      {"extra"},

		"has a stream of its own": {"--nats", "nats://127.0.0.1:1", "--config", file("d.yaml", "office: o.yaml\n")},
		"for --nats":              {"--config", file("e.yaml", "office: {file: o.yaml, stream: office}\n")},
		`office and the team review have the stream "swarmbus"`:        {"--nats", "nats://127.0.0.1:1", "--config", file("f.yaml", "teams: [review]\noffice: {file: o.yaml, stream: swarmbus}\n")},
		`office and the solves of --stream have the stream "talk"`:     {"--nats", "nats://127.0.0.1:1", "--stream", "talk", "--config", file("g.yaml", "office: {file: o.yaml, stream: talk}\n")},
		`review and the team triage have the stream "swarmbus"`:        {"--nats", "nats://127.0.0.1:1", "--config", file("k.yaml", "teams: [review, triage]\n")},
		`review and the team triage have the stream "one"`:             {"--nats", "nats://127.0.0.1:1", "--config", file("l.yaml", "teams: [{team: review, stream: one}, {team: triage, stream: one}]\n")},
		`the stream "one" is for --nats`:                               {"--config", file("m.yaml", "teams: [{team: review, stream: one}]\n")},
		"file is required":                                             {"--nats", "nats://127.0.0.1:1", "--config", file("i.yaml", "office: {stream: o}\n")},
		"team is required":                                             {"--config", file("n.yaml", "teams: [{stream: one}]\n")},
		`teams[0].steam: there is no such key; did you mean "stream"?`: {"--config", file("o.yaml", "teams: [{steam: one}]\n")},
		`office.strem: there is no such key; did you mean "stream"?`:   {"--config", file("j.yaml", "office: {file: o.yaml, strem: o}\n")},
	} {
		var stderr bytes.Buffer
		if status := run(t.Context(), append([]string{"serve"}, args...), io.Discard, &stderr); status == cli.ExitDecided || !strings.Contains(stderr.String(), want) {
			t.Errorf("%v: status %d, %s", args, status, stderr.String())
		}
	}
}

// The agents of an office call the tools of its servers, as those of swarmbus rooms do.
func TestServeOpensTheServersOfTheOffice(t *testing.T) {
	p := atTriage(t)
	path := filepath.Join(t.TempDir(), "office.yaml")
	text := `models: {m: {provider: ollama, name: x}}
servers: {files: {command: ["` + builtServer(t) + `"], env: [TRIAGE_DIR]}}
agents: [{name: Reed, rooms: [ops], model: m, tools: {"files/*": allow}}]
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var ends ends
	o, err := new(serveFlags).office(t.Context(), &serveConfig{Office: officeAt{File: path}}, &ends, nil, io.Discard)
	defer func() {
		if err := ends.end(); err != nil {
			t.Error(err)
		}
	}()
	if err != nil {
		t.Fatal(err)
	}
	options, err := o.Make(new(journal.Memory), &events.Keys{Dir: p.dir})
	if err != nil {
		t.Fatal(err)
	}
	if all := options.Agents[0].Agent.Reactor.(*office.Talker).Tools.From; len(all) != 1 {
		t.Errorf("Reed has %d sources of tools", len(all))
	}
}
