package mcp

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostMessage is the maximum size of a message of a server, in bytes.
const mostMessage = 8 << 20

// A process is a running command.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	ended  chan struct{} // closed when it has ended
	err    error         // of Wait; read after ended is closed
}

// grace is how long a process has to end after its input is closed, and again after
// SIGTERM.
const grace = time.Second

// start starts the command in a process group of its own.
func start(s Spec, env map[string]string, stderr io.Writer) (*process, error) {
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = s.Dir, stderr, grace
	cmd.Env = []string{} // not ours
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	group(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, write, err := os.Pipe() // not StdoutPipe, which Wait closes before all is read
	if err != nil {
		return nil, err
	}
	cmd.Stdout = write
	p := &process{cmd: cmd, stdin: stdin, stdout: readMessages(stdout, stderr), ended: make(chan struct{})}
	started := make(chan error)
	go p.run(started)
	err = <-started
	_ = write.Close()
	if err != nil {
		_ = stdout.Close() // Start has closed stdin
		return nil, err
	}
	return p, nil
}

// run starts the process and waits until it has ended. It keeps its thread for as long: where
// the process ends with us, it ends with that thread.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.ended)
	err := p.cmd.Start()
	started <- err
	if err == nil {
		p.err = p.cmd.Wait()
	}
}

// Connect implements [sdk.Transport].
func (p *process) Connect(ctx context.Context) (sdk.Connection, error) {
	return (&sdk.IOTransport{Reader: p.stdout, Writer: p.stdin, MaxLineLength: mostMessage}).Connect(ctx)
}

// stop ends the process and all that it started, and waits for it.
func (p *process) stop() {
	_ = p.stdin.Close()
	p.wait(grace)
	terminate(p.cmd)
	p.wait(grace)
	kill(p.cmd)
	<-p.ended
	_ = p.stdout.Close()
}

func (p *process) wait(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.ended:
	case <-timer.C:
	}
}

// why says how the process ended, or "" if it is running.
func (p *process) why() string {
	p.wait(grace / 4)
	select {
	case <-p.ended:
		if p.err == nil {
			return "its process has ended"
		}
		return fmt.Sprintf("its process has ended: %v", p.err)
	default:
		return ""
	}
}
