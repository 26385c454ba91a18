package browser_test

import (
	"bufio"
	"net/url"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
	"time"
)

// A server is "swarmbus serve" as a process, on a port and a directory of its own.
type server struct {
	t    *testing.T
	args []string
	cmd  *exec.Cmd
	link *url.URL // with the token
}

var printed = regexp.MustCompile(`https?://\S+#token=\S+`)

// demo starts the demo of the console, whose agents think for a short time.
func demo(t *testing.T, args ...string) *server {
	t.Helper()
	return serve(t, append([]string{"--demo", "--pace", "60ms", "--dir", t.TempDir()}, args...)...)
}

func serve(t *testing.T, args ...string) *server {
	t.Helper()
	if without != "" {
		t.Skip(without)
	}
	s := &server{t: t, args: args}
	s.start("127.0.0.1:0")
	t.Cleanup(s.stop)
	return s
}

func (s *server) start(addr string) {
	s.t.Helper()
	s.cmd = exec.Command(*program, append([]string{"serve", "--addr", addr}, s.args...)...)
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	s.cmd.Stderr = testWriter{s.t}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(out); in.Scan(); {
			lines <- in.Text()
		}
	}()
	late := time.After(time.Minute)
	for {
		select {
		case line, ok := <-lines:
			if found := printed.FindString(line); found != "" {
				s.link, err = url.Parse(found)
				if err != nil {
					s.t.Fatal(err)
				}
				go func() {
					for range lines { // the server must not wait for a reader
					}
				}()
				return
			}
			if !ok {
				s.t.Fatal("the server ended without printing a link")
			}
		case <-late:
			s.t.Fatal("the server printed no link within a minute")
		}
	}
}

// stop ends the server as Ctrl-C does.
func (s *server) stop() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGINT)
	_ = s.cmd.Wait()
	s.cmd = nil
}

// kill ends the server as a crash does.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
}

// again starts the server at its old address.
func (s *server) again() {
	s.t.Helper()
	s.start(s.link.Host)
}

func (s *server) path(path string) string { return "http://" + s.link.Host + path }

type testWriter struct{ t *testing.T }

func (w testWriter) Write(text []byte) (int, error) {
	w.t.Logf("server: %s", text)
	return len(text), nil
}
