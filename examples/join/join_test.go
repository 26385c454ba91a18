package join_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// swarmbus builds the command.
func swarmbus(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "swarmbus")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../../cmd/swarmbus").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

var joinAt = regexp.MustCompile(`agents join at (\S+)`)

// TestPythonDecides lets three programs in Python decide. The third claims to be the first one in
// its first answer, votes twice in its second one, and is refused by name.
func TestPythonDecides(t *testing.T) {
	t.Parallel()
	python := program(t, "python3")
	said := decide(t, []string{python, "python/member.py"}, []string{python, "python/short.py"}, []string{python, "testdata/forger.py"})
	for _, want := range []string{`signals[0].source = "ada": the token is that of cy`, `signals[1].payload.proposalId = "ada-1": has a vote of this answer already`} {
		if !strings.Contains(said, "an answer of cy is refused: signals: "+want) {
			t.Errorf("the forger is not named: %s", said)
		}
	}
}

// TestFrameworksDecide lets agents of two frameworks in JavaScript decide with one in Python. Their
// packages have to be installed.
func TestFrameworksDecide(t *testing.T) {
	t.Parallel()
	python, node := program(t, "python3"), program(t, "node")
	if _, err := os.Stat("js/node_modules"); err != nil {
		t.Skip("the packages are not installed: npm ci in examples/join/js")
	}
	said := decide(t, []string{node, "js/openai.mjs"}, []string{node, "js/langgraph.mjs"}, []string{python, "python/member.py"})
	if strings.Contains(said, "refused") {
		t.Errorf("an answer was refused: %s", said)
	}
}

// program returns the path of a program, or skips the test.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("there is no %s", name)
	}
	return path
}

// decide lets three programs, each of which gets the answer 8080, be the members of the team. It
// returns what the command says beside the solve.
func decide(t *testing.T, programs ...[]string) string {
	t.Helper()
	tokens := []string{"ADA_TOKEN=the token of ada 1", "BEN_TOKEN=the token of ben 2", "CY_TOKEN=the token of cy 3"}
	solve := exec.CommandContext(t.Context(), swarmbus(t), "solve", "Which port?", "--team", "team.yaml", "--join", "127.0.0.1:0")
	solve.Env = append(os.Environ(), tokens...)
	var printed bytes.Buffer
	solve.Stdout = &printed
	progress, err := solve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := solve.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	buffer := make([]byte, 4096)
	for joinAt.FindStringSubmatch(said.String()) == nil {
		n, err := progress.Read(buffer)
		if said.Write(buffer[:n]); err != nil {
			t.Fatalf("%v: %s", err, said.String())
		}
	}
	base := joinAt.FindStringSubmatch(said.String())[1]
	var members []*exec.Cmd
	for i, args := range programs {
		member := exec.CommandContext(t.Context(), args[0], append(args[1:], "8080")...)
		_, token, _ := strings.Cut(tokens[i], "=")
		member.Env = append(os.Environ(), "SWARMBUS_JOIN="+base, "SWARMBUS_TOKEN="+token)
		member.WaitDelay = time.Second
		if err := member.Start(); err != nil {
			t.Fatal(err)
		}
		members = append(members, member)
	}
	for {
		n, err := progress.Read(buffer)
		if said.Write(buffer[:n]); err != nil {
			break
		}
	}
	if err := solve.Wait(); err != nil {
		t.Errorf("solve: %v", err)
	}
	for _, m := range members {
		if err := m.Wait(); err != nil {
			t.Errorf("%v: %v", m.Args, err)
		}
	}
	if !strings.Contains(printed.String(), "8080") {
		t.Errorf("printed %s", printed.String())
	}
	t.Log(printed.String(), said.String())
	return said.String()
}
