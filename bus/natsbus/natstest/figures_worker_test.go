package natstest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

const figuresEnv = "NATSTEST_FIGURES"

// A figuresConfig says what a process of the figures does: it publishes, or it handles what
// publishPaced publishes in another one.
type figuresConfig struct {
	URL, Stream, Name    string
	Replicas             int
	Publishers, Messages int // 0: it handles
}

// figuresMain writes a line when it has joined, reads a line, and writes a result.
func figuresMain() {
	text := os.Getenv(figuresEnv)
	if text == "" {
		return
	}
	if err := takePart(text); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func takePart(text string) error {
	var c figuresConfig
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	l, err := natsbus.Join(ctx, natsbus.Options{URL: c.URL, Stream: c.Stream, Process: c.Name, Storage: natsbus.Storage{Replicas: c.Replicas}})
	if err != nil {
		return err
	}
	defer l.Close()
	took, err := handlePaced(l.Bus())
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	var result []time.Duration
	if c.Publishers == 0 {
		all := collect(took)
		result = []time.Duration{all[paced/2], all[paced*99/100]}
	} else {
		d, err := publishMany(l.Bus(), c.Name, c.Publishers, c.Messages)
		if err != nil {
			return err
		}
		result = []time.Duration{d}
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// A part is a process of the figures that has joined the log.
type part struct {
	process *exec.Cmd
	start   func() error
	results *bufio.Reader
}

func startPart(t *testing.T, c figuresConfig) *part {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	p := &part{process: exec.Command(os.Args[0])}
	p.process.Env = append(os.Environ(), figuresEnv+"="+string(text))
	p.process.Stderr = os.Stderr
	p.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := p.process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.process.Start(); err != nil {
		t.Fatal(err)
	}
	p.results, p.start = bufio.NewReader(out), func() error { _, err := in.Write([]byte("\n")); return err }
	if _, err := p.results.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *part) result(t *testing.T) (all []time.Duration) {
	t.Helper()
	if err := json.NewDecoder(p.results).Decode(&all); err != nil {
		t.Fatal(err)
	}
	if err := p.process.Wait(); err != nil {
		t.Fatal(err)
	}
	return all
}

// spreadRate is ourRate with the publishers in four processes, all of which read the log.
func spreadRate(t *testing.T, servers []*natstest.Server) float64 {
	const processes = 4
	c := figuresConfig{URL: natstest.URLs(servers), Stream: fresh(), Replicas: len(servers), Publishers: window / processes, Messages: *figures / processes}
	var all []*part
	for i := range processes {
		c.Name = fmt.Sprint("p", i)
		all = append(all, startPart(t, c))
	}
	for _, p := range all {
		if err := p.start(); err != nil {
			t.Fatal(err)
		}
	}
	var slowest time.Duration
	for _, p := range all {
		slowest = max(slowest, p.result(t)[0])
	}
	return float64(*figures) / slowest.Seconds()
}

// remote is local with the handler in another process.
func remote(t *testing.T, servers []*natstest.Server) latencies {
	c := figuresConfig{URL: natstest.URLs(servers), Stream: fresh(), Name: "handler", Replicas: len(servers)}
	handler := startPart(t, c)
	if err := handler.start(); err != nil {
		t.Fatal(err)
	}
	l := join(t, natsbus.Options{URL: c.URL, Stream: c.Stream, Storage: natsbus.Storage{Replicas: c.Replicas}})
	defer l.Close()
	rate := publishPaced(t, l.Bus())
	all := handler.result(t)
	return latencies{all[0], all[1], rate}
}
