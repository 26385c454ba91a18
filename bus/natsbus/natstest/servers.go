// Package natstest starts real NATS servers for tests: in the process, or as processes that
// can be killed and stopped.
package natstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// A Server is one server of a cluster, or one alone.
type Server struct {
	Name    string
	Port    int // for clients
	routes  []int
	cluster int // port for the other servers; 0: it is alone
	monitor int
	dir     string
	sync    bool
	noStore bool
	domain  string
	more    string

	inside  *server.Server // nil: a process of its own
	process *exec.Cmd
}

// URL is where clients connect.
func (s *Server) URL() string { return fmt.Sprintf("nats://127.0.0.1:%d", s.Port) }

// Monitor is the URL of the monitoring port.
func (s *Server) Monitor() string { return fmt.Sprintf("http://127.0.0.1:%d", s.monitor) }

// Options of a server or a cluster.
type Options struct {
	Servers   int    // 0 means 1
	Processes bool   // not in the process of the test
	NoSync    bool   // acknowledge before fsync, as servers do by default
	NoStore   bool   // no JetStream of its own, as a leaf node has that of its hub
	Domain    string // of JetStream; "": none

	Config string           // more lines of the configuration file
	Of     func(int) string // more lines of that of each server, from 0; nil: none
}

// given are the ports that FreePorts has returned.
var given sync.Map

// FreePorts returns ports that nobody listens at, each once in a process. They are below those
// that systems give to outgoing connections, one of which could take the port before a server
// listens there, or while it is down.
func FreePorts(t testing.TB, n int) (ports []int) {
	t.Helper()
	for tries := 0; len(ports) < n; tries++ {
		if tries > 100_000 {
			t.Fatal("no free port")
		}
		port := 20_000 + rand.IntN(12_000)
		if _, known := given.LoadOrStore(port, true); known {
			continue
		}
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			ports = append(ports, port)
			_ = l.Close()
		}
	}
	return ports
}

// Start starts servers, which end with the test.
func Start(t testing.TB, o Options) []*Server {
	t.Helper()
	n := max(o.Servers, 1)
	ports := FreePorts(t, 3*n)
	all := make([]*Server, n)
	for i := range all {
		all[i] = &Server{Name: fmt.Sprintf("n%d", i+1), Port: ports[i], monitor: ports[n+i], dir: filepath.Join(t.TempDir(), fmt.Sprint(i)), sync: !o.NoSync, noStore: o.NoStore, domain: o.Domain, more: o.Config}
		if o.Of != nil {
			all[i].more += "\n" + o.Of(i)
		}
		if n > 1 {
			all[i].cluster, all[i].routes = ports[2*n+i], ports[2*n:]
		}
	}
	for _, s := range all {
		if o.Processes {
			s.StartProcess(t)
		} else {
			s.startInside(t)
		}
		t.Cleanup(s.Kill)
	}
	return all
}

// URLs joins the URLs of servers.
func URLs(all []*Server) string {
	var urls []string
	for _, s := range all {
		urls = append(urls, s.URL())
	}
	return strings.Join(urls, ",")
}

// config returns the configuration file of a server.
func (s *Server) config() string {
	sync := `"2m"`
	if s.sync {
		sync = "always"
	}
	text := fmt.Sprintf("server_name: %s\nlisten: \"127.0.0.1:%d\"\nhttp: \"127.0.0.1:%d\"\n%s\n", s.Name, s.Port, s.monitor, s.more)
	if !s.noStore {
		text += fmt.Sprintf("jetstream { store_dir: %q, sync_interval: %s, domain: %q }\n", s.dir, sync, s.domain)
	}
	if s.cluster > 0 {
		var routes []string
		for _, r := range s.routes {
			routes = append(routes, fmt.Sprintf("\"nats://127.0.0.1:%d\"", r))
		}
		text += fmt.Sprintf("cluster { name: test, listen: \"127.0.0.1:%d\", routes: [%s] }\n", s.cluster, strings.Join(routes, ", "))
	}
	return text
}

func (s *Server) options() (*server.Options, error) {
	file := filepath.Join(filepath.Dir(s.dir), s.Name+".conf")
	if err := os.WriteFile(file, []byte(s.config()), 0o600); err != nil {
		return nil, err
	}
	o, err := server.ProcessConfigFile(file)
	if err == nil {
		o.NoLog, o.NoSigs = true, true
	}
	return o, err
}

func (s *Server) startInside(t testing.TB) {
	t.Helper()
	o, err := s.options()
	if err == nil {
		s.inside, err = server.NewServer(o)
	}
	if err != nil {
		t.Fatal(err)
	}
	go s.inside.Start()
	if s.cluster == 0 && !s.inside.ReadyForConnections(20*time.Second) {
		t.Fatal("the server is not ready")
	}
}

const (
	serveEnv = "NATSTEST_SERVE"
	logEnv   = "NATSTEST_LOG" // set: servers of their own processes write what they do
)

// StartProcess starts a server as a process, or again after it was killed.
func (s *Server) StartProcess(t testing.TB) {
	t.Helper()
	if _, err := s.options(); err != nil {
		t.Fatal(err)
	}
	s.process = exec.Command(os.Args[0])
	s.process.Env = append(os.Environ(), serveEnv+"="+filepath.Join(filepath.Dir(s.dir), s.Name+".conf"))
	s.process.Stderr = os.Stderr
	s.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
}

// LeadsCluster reports whether a server is the one that places streams and consumers.
func (s *Server) LeadsCluster(t testing.TB) bool {
	t.Helper()
	answer, err := http.Get(s.Monitor() + "/jsz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var told struct {
		Meta struct {
			Leader string `json:"leader"`
		} `json:"meta_cluster"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&told); err != nil {
		t.Fatal(err)
	}
	return told.Meta.Leader == s.Name
}

// Processor returns the processor time that the process of a server has used, on Linux.
func (s *Server) Processor(t testing.TB) time.Duration {
	t.Helper()
	fields, err := s.stat()
	if err != nil {
		t.Fatal(err)
	}
	var user, system int64
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		t.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond // ticks of 1/100 s
}

// Configure replaces the further lines of a server's configuration, for its next start.
func (s *Server) Configure(lines string) { s.more = lines }

// Wipe removes what a server that was killed has stored.
func (s *Server) Wipe(t testing.TB) {
	t.Helper()
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
}

// Signal sends a signal to the process of a server. With SIGSTOP it returns when the process stands
// still, on Linux: on a busy machine it goes on until one of its threads has the signal.
func (s *Server) Signal(sig syscall.Signal) {
	_ = s.process.Process.Signal(sig)
	if sig != syscall.SIGSTOP {
		return
	}
	for range 1000 {
		if fields, err := s.stat(); err != nil || fields[0] == "T" {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// stat returns what Linux says of the process of a server, from its state on.
func (s *Server) stat() ([]string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.process.Process.Pid))
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])), err
}

// Kill ends a server at once.
func (s *Server) Kill() {
	if s.inside != nil {
		s.inside.Shutdown()
		s.inside.WaitForShutdown()
		s.inside = nil
	}
	if s.process != nil {
		_ = s.process.Process.Kill()
		_ = s.process.Wait()
		s.process = nil
	}
}

// Main is to be called first by TestMain and main functions: in a process that
// StartProcess started, it serves and does not return.
func Main() {
	file := os.Getenv(serveEnv)
	if file == "" {
		return
	}
	o, err := server.ProcessConfigFile(file)
	if err == nil {
		var s *server.Server
		o.NoLog, o.NoSigs = os.Getenv(logEnv) == "", true
		if s, err = server.NewServer(o); err == nil {
			s.ConfigureLogger()
			s.Start()
			s.WaitForShutdown()
			os.Exit(0)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
