package journal_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
)

var kills = flag.Int("kills", 10, "how often TestKilledWriterLosesNothingAcknowledged kills")

// writerEnv names the journal for a child process, which is this test binary
// and writes until it is killed. It prints what is acknowledged.
const writerEnv = "SWARMBUS_JOURNAL_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		writeUntilKilled(path)
	}
	testMain(m)
}

func writeUntilKilled(path string) {
	j, err := journal.Open(path, nil)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for n := 0; ; n++ {
				name := fmt.Sprintf("%d/%d/%d", os.Getpid(), w, n)
				seq, err := j.Append(journal.Record{Type: 1, Head: []byte(name), Body: []byte(strings.Repeat(name, n%600))})
				if err != nil {
					fmt.Println("error", err)
					os.Exit(1)
				}
				fmt.Println(seq, name)
			}
		})
	}
	wg.Wait()
}

func TestKilledWriterLosesNothingAcknowledged(t *testing.T) {
	cycles := *kills
	path := filepath.Join(t.TempDir(), "j")
	seed := time.Now().UnixNano()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	names := map[string]uint64{} // everything that was ever there
	total, torn := 0, 0
	for cycle := range cycles {
		acknowledged := killOne(t, path, 1+random.IntN(500))
		total += len(acknowledged)
		j := open(t, path, nil)
		if j.Cut() > 0 {
			torn++
		}
		got := map[string]uint64{}
		for r, err := range j.Read(uint64(len(names))) {
			if err != nil {
				t.Fatal(err)
			}
			name := string(r.Head)
			if names[name] != 0 || got[name] != 0 {
				t.Fatalf("cycle %d: %s is there twice", cycle, name)
			}
			got[name] = r.Seq
		}
		for name, seq := range acknowledged {
			if got[name] != seq {
				t.Fatalf("cycle %d: %s was acknowledged as %d and is at %d", cycle, name, seq, got[name])
			}
		}
		for name, seq := range got {
			names[name] = seq
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if total < cycles {
		t.Errorf("%d records were acknowledged in %d cycles: too few to show anything", total, cycles)
	}
	t.Logf("%d cycles, %d acknowledged, %d there, %d times a torn record", cycles, total, len(names), torn)
}

// killOne lets a process write until it has acknowledged so many records, kills
// it, and returns what it said was acknowledged.
func killOne(t *testing.T, path string, after int) map[string]uint64 {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	acknowledged := map[string]uint64{}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n') // an incomplete line does not count
		if err != nil {
			break
		}
		var seq uint64
		var name string
		if _, err := fmt.Sscan(line, &seq, &name); err != nil {
			t.Fatalf("the writer said %q", line)
		}
		acknowledged[name] = seq
		if len(acknowledged) == after {
			_ = cmd.Process.Kill()
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("the writer was not killed: %v", err)
	}
	return acknowledged
}
