// Cluster starts three NATS servers and four processes with an agent each, which decide
// together while one of the servers, the one that leads the log, is killed.
//
//	go run ./examples/cluster
//
// A crowd of agents in four processes, and what it takes:
//
//	go run ./examples/cluster -agents 1000 [-servers 3]
//
// The processes are equal: each takes the turns of its agent, and each would drive the
// solve. One of them gets the lease and does; the others stand by, and find it decided.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"time"
)

// What a process is, if it is not the first one, and where the servers are.
const (
	serverEnv = "CLUSTER_SERVER"
	agentEnv  = "CLUSTER_AGENT"
	urlEnv    = "CLUSTER_URL"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	many := flag.Int("agents", 0, "run a crowd of so many agents in four processes, and measure it")
	nodes := flag.Int("servers", 1, "with -agents: how many servers there are")
	flag.Parse()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	var err error
	switch id, server := os.Getenv(agentEnv), os.Getenv(serverEnv); {
	case server != "":
		err = serve(server)
	case id != "" && os.Getenv(crowdEnv) != "":
		err = crowd(ctx, os.Getenv(urlEnv), id, os.Getenv(crowdEnv), os.Stdout)
	case *many > 0:
		err = runCrowd(ctx, os.Stdout, *many, *nodes)
	case id != "":
		err = decide(ctx, os.Getenv(urlEnv), id, os.Stdout)
	default:
		err = run(ctx, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

// run starts the servers and the processes, kills a server, and compares what was decided.
func run(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "cluster")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	servers, err := startServers(ctx, dir, 3)
	if err != nil {
		return err
	}
	defer servers.stop()
	fmt.Fprintln(out, "three servers, a log with three replicas, each signal on the disks of two before it counts")
	said := &transcript{out: out}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for _, id := range team {
		all.Go(func() {
			if err := startProcess(ctx, id, servers.urls(), said); err != nil {
				cancel(err) // the others would wait for its turns
			}
		})
	}
	if err := said.wait(ctx, "votes"); err == nil {
		name, err := servers.killLeader(ctx)
		if err != nil {
			return err
		}
		said.line(fmt.Sprintf("--- the server %s, which led the log, is killed ---", name))
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return said.agree()
}

// startProcess runs this program again as the process of an agent, with more of its environment.
func startProcess(ctx context.Context, id, urls string, said io.Writer, env ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), agentEnv+"="+id, urlEnv+"="+urls)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdout, cmd.Stderr = said, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the process of %s: %w", id, err)
	}
	return nil
}

// A transcript prints the lines of all processes, and remembers what they decided.
type transcript struct {
	out io.Writer

	mu      sync.Mutex // protects the fields below
	lines   []string
	decided []string
}

// Write takes lines of a process.
func (t *transcript) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		t.line(strings.TrimSuffix(line, "\n"))
	}
	return len(text), nil
}

func (t *transcript) line(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, decision, ok := strings.Cut(line, " sees the decision: "); ok {
		t.decided = append(t.decided, decision)
	}
	t.lines = append(t.lines, line)
	fmt.Fprintln(t.out, line)
}

// wait waits for a line with a word.
func (t *transcript) wait(ctx context.Context, word string) error {
	for ctx.Err() == nil {
		t.mu.Lock()
		found := strings.Contains(strings.Join(t.lines, "\n"), word)
		t.mu.Unlock()
		if found {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return context.Cause(ctx)
}

// agree returns an error unless all processes saw the same decision.
func (t *transcript) agree() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, d := range t.decided {
		if d != t.decided[0] {
			return fmt.Errorf("%q and %q", t.decided[0], d)
		}
	}
	if len(t.decided) != len(team) {
		return fmt.Errorf("%d of %d processes saw the decision", len(t.decided), len(team))
	}
	fmt.Fprintf(t.out, "all %d processes agree\n", len(team))
	return nil
}
