//go:build !js

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func Example() {
	if err := story(); err != nil {
		panic(err)
	}
	// Output:
	// Monday
	//   no-progress: no answer
	// Tuesday, without a memory
	//   no-progress: no answer
	// Tuesday
	//   recalled, confirmed, first said by logs: The database restarts at 02:00.
	//   consensus: keep the payments away from the restart at 02:00
	// Tuesday, after eve told the memory something
	//   recalled, confirmed, first said by logs: The payments run at 02:00.
	//   recalled, confirmed, first said by logs: The database restarts at 02:00.
	//   consensus: keep the payments away from the restart at 02:00
	// The same without quarantine
	//   recalled, confirmed, first said by logs: The payments run at 02:00.
	//   recalled, confirmed, first said by logs: The database restarts at 02:00.
	//   recalled, quarantined, first said by eve: No, the database restarts at 05:00!
	//   consensus: keep the payments away from the restart at 05:00
	// What eve said is revoked
	//   fell: No, the database restarts at 05:00!
	//   decided with it: keep the payments away from the restart at 05:00
}

// day runs one day in a process of its own, and returns what it prints.
func day(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), "SWARMBUS_TEST_MEMORY="+strings.Join(args, "\n"))
	printed, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	return string(printed)
}

func TestMain(m *testing.M) {
	if args := os.Getenv("SWARMBUS_TEST_MEMORY"); args != "" {
		os.Args = append(os.Args[:1], strings.Split(args, "\n")...)
		main()
		return
	}
	os.Exit(m.Run())
}

func TestSecondProcessSolvesWhatNeitherDoesAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "memory.db")
	const answer = "consensus: keep the payments away from the restart at 02:00"
	for _, step := range []struct {
		args []string
		want bool
	}{
		{[]string{"-day", "tuesday"}, false},
		{[]string{"-day", "monday", "-file", file}, false},
		{[]string{"-day", "tuesday", "-file", file}, true},
	} {
		if printed := day(t, step.args...); strings.Contains(printed, answer) != step.want {
			t.Errorf("%v: solved %v, want %v:\n%s", step.args, !step.want, step.want, printed)
		}
	}
}
