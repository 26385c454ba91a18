package mcp_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestAServerThatIgnoresTheEndOfItsInputEndsWithAProgramThatIsKilled kills a program that has
// opened such a server.
func TestAServerThatIgnoresTheEndOfItsInputEndsWithAProgramThatIsKilled(t *testing.T) {
	t.Parallel()
	program := exec.Command(os.Args[0])
	program.Env = append(os.Environ(), variable+"=parent")
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", program.Process.Pid))
	all := strings.Fields(string(children))
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", program.Process.Pid))
	for _, task := range tasks { // a child is that of the thread that started it
		more, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", program.Process.Pid, task.Name()))
		all = append(all, strings.Fields(string(more))...)
	}
	_ = program.Process.Kill()
	_ = program.Wait()
	var server int
	if len(all) > 0 {
		_, _ = fmt.Sscan(all[0], &server)
	}
	if line != "opened\n" || err != nil || server == 0 {
		t.Skipf("SKIPPED: the program said %q, and its children are not known: %v", line, err)
	}
	ended(t, server)
}
