// Command peers measures what a call of a model costs a program: the CPU time of a team of five on a
// server that answers at once, beside the same requests by net/http alone.
//
//	go run ./peers [-solves 200] [-profile cpu.out]
//
// The server is a process of its own, so that its time is not counted.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime/pprof"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/agents/models/openai"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

func main() {
	solves := flag.Int("solves", 200, "solves of a team of five")
	profile := flag.String("profile", "", "file for a CPU profile of the solves")
	serves := flag.Bool("serve", false, "be the server")
	flag.Parse()
	err := error(nil)
	if *serves {
		err = serve()
	} else {
		err = run(*solves, *profile)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// cpu is the time that the process has taken.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func run(solves int, profile string) error {
	server := exec.Command(os.Args[0], "-serve")
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer func() { _ = server.Process.Kill(); _ = server.Wait() }()
	var at string
	if _, err := fmt.Fscanln(out, &at); err != nil {
		return err
	}
	kept := &keeper{RoundTripper: &http.Transport{MaxIdleConnsPerHost: 8}}
	if _, err := team(at, kept, 5); err != nil { // warm
		return err
	}
	kept.bodies = nil
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
	}
	before := cpu()
	calls, err := team(at, kept, solves)
	took := cpu() - before
	pprof.StopCPUProfile()
	if err != nil {
		return err
	}
	before = cpu()
	if err := bare(at, kept); err != nil {
		return err
	}
	alone := cpu() - before
	per := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(calls) }
	fmt.Printf("%d solves, %d calls: %.3f ms of CPU a call, net/http alone %.3f ms: %.1f times\n", solves, calls, per(took), per(alone), per(took)/per(alone))
	return nil
}

// A keeper keeps the bodies of requests.
type keeper struct {
	http.RoundTripper
	mu     sync.Mutex
	bodies [][]byte
}

func (k *keeper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.GetBody != nil {
		if of, err := r.GetBody(); err == nil {
			body, _ := io.ReadAll(of)
			k.mu.Lock()
			k.bodies = append(k.bodies, body)
			k.mu.Unlock()
		}
	}
	return k.RoundTripper.RoundTrip(r)
}

func team(at string, k *keeper, solves int) (calls int, err error) {
	m, err := openai.New(openai.Options{Model: "m", BaseURL: at + "/v1", Key: "k", Client: &http.Client{Transport: k}})
	if err != nil {
		return 0, err
	}
	shared := limits.New(limits.Options{})
	var all []*agents.Agent
	for _, id := range []string{"ada", "bob", "cyd", "dan", "eve"} {
		all = append(all, thinker.Thinker{ID: id, Role: "You look for what is wrong.", Model: shared.Limit(m)}.Agent())
	}
	before := len(k.bodies)
	s, err := swarm.New(swarm.Options{Agents: all, Seed: 1})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	for i := range solves {
		r, err := s.Solve(context.Background(), signals.Task{Task: fmt.Sprintf("How often should a client retry? (%d)", i)})
		if err != nil {
			return 0, err
		}
		if r.Decision.Outcome != consensus.Reached {
			return 0, fmt.Errorf("solve %d ends with %v", i, r.Stop)
		}
	}
	return len(k.bodies) - before, nil
}

// bare makes the same requests, five at a time, and reads the answers.
func bare(at string, k *keeper) error {
	client, errs := &http.Client{Transport: k.RoundTripper}, make(chan error, 5)
	for i := range 5 {
		go func() {
			for n := i; n < len(k.bodies); n += 5 {
				resp, err := client.Post(at+"/v1/chat/completions", "application/json", bytes.NewReader(k.bodies[n]))
				if err == nil {
					_, err = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
				if err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range 5 {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

const (
	proposal = `{"say":[{"type":"proposal","content":"Three times, with growing pauses between the tries.","reasons":"More tries make an outage longer.","confidence":0.8},{"type":"vote","proposal":"new","reasons":"It is mine.","stance":"agree","confidence":0.8}]}`
	vote     = `{"say":[{"type":"vote","proposal":"P1","reasons":"Growing pauses leave the server time to come back.","stance":"agree","confidence":0.9}]}`
)

func serve() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { //nolint:gosec // it serves this program
		body, _ := io.ReadAll(r.Body)
		text := proposal
		if strings.Contains(string(body), `\"proposal\":\"P1\"`) {
			text = vote
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for len(text) > 0 {
			n := min(8, len(text))
			part, _ := json.Marshal(text[:n])
			fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%s},\"finish_reason\":null}]}\n\n", part)
			w.(http.Flusher).Flush() // as servers that stream do
			text = text[n:]
		}
		fmt.Fprint(w, "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":900,\"completion_tokens\":60,\"total_tokens\":960}}\n\ndata: [DONE]\n\n")
	}))
}
