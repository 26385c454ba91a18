package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A node is a server of the cluster, in a process of its own.
type node struct {
	Name, Dir     string
	Port, Cluster int
	Routes        []int // ports of all nodes for each other

	process *exec.Cmd
}

// serve is the process of a node.
func serve(text string) error {
	var n node
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		return err
	}
	var routes []*url.URL
	for _, p := range n.Routes {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", p)})
	}
	o := &server.Options{
		ServerName: n.Name, Host: "127.0.0.1", Port: n.Port, NoLog: true, NoSigs: true,
		JetStream: true, StoreDir: n.Dir, SyncAlways: true, // acknowledge what is on the disk
	}
	if len(routes) > 1 {
		o.Cluster, o.Routes = server.ClusterOpts{Name: "example", Host: "127.0.0.1", Port: n.Cluster}, routes
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	s.WaitForShutdown()
	return nil
}

type cluster []*node

// startServers starts the processes of a cluster, which end with ctx.
func startServers(ctx context.Context, dir string, n int) (all cluster, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ports, err := freePorts(2 * n)
	if err != nil {
		return nil, err
	}
	for i := range n {
		s := &node{Name: fmt.Sprint("n", i+1), Dir: filepath.Join(dir, fmt.Sprint(i)), Port: ports[i], Cluster: ports[n+i], Routes: ports[n:]}
		text, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		s.process = exec.CommandContext(ctx, self)
		s.process.Env, s.process.Stderr = append(os.Environ(), serverEnv+"="+string(text)), os.Stderr
		if err := s.process.Start(); err != nil {
			all.stop()
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

func (c cluster) urls() string {
	var all []string
	for _, s := range c {
		all = append(all, fmt.Sprintf("nats://127.0.0.1:%d", s.Port))
	}
	return strings.Join(all, ",")
}

// killLeader kills the server that leads the log.
func (c cluster) killLeader(ctx context.Context) (name string, err error) {
	conn, err := nats.Connect(c.urls())
	if err != nil {
		return "", err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return "", err
	}
	stream, err := js.Stream(ctx, "swarmbus")
	if err != nil {
		return "", err
	}
	for _, s := range c {
		if s.Name == stream.CachedInfo().Cluster.Leader {
			return s.Name, s.process.Process.Kill()
		}
	}
	return "", errors.New("nobody leads the log")
}

func (c cluster) stop() {
	for _, s := range c {
		_ = s.process.Process.Kill()
		_ = s.process.Wait()
	}
}
