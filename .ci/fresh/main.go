// Fresh does what somebody new does: it clones HEAD, with Go and git alone on the path, empty
// caches and an empty home, and runs the two commands of README.md as they are printed there.
// Both have to end well, and may cost so many times the CPU of go build std, which is measured
// in the same run; each begins with an empty build cache. Downloads count in the time on the
// clock, and hardly in CPU.
//
//	go run ./.ci/fresh         # std, and the two commands
//	go run ./.ci/fresh -first  # std, and the first command
//	go run ./.ci/fresh -all    # and the review, and go test work: the other modules of the workspace, too
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"
)

// What a command may cost: CPU as a multiple of that of go build std, and the first command
// when it runs again, on the clock.
const (
	firstMost  = 1.0
	reviewMost = 1.5
	testMost   = 7.0  // 5 is the goal; 6.0 was measured, 10.6 before the server, the stores and the command were modules of their own
	workMost   = 14.0 // 8 is the goal, and was not reached when all was one module
	secondMost = 1500 * time.Millisecond
)

func main() {
	first, all := flag.Bool("first", false, "the first command alone"), flag.Bool("all", false, "the review and go test work, too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, *first, *all); err != nil {
		fmt.Fprintln(os.Stderr, "fresh:", err)
		stop()
		os.Exit(1)
	}
}

func measure(ctx context.Context, firstAlone, all bool) (err error) {
	m, err := newMachine(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.remove()) }()
	commands, err := twoCommands(filepath.Join(m.clone, "README.md"))
	if err != nil {
		return err
	}
	std := m.run(ctx, "go build std")
	rows := []row{{run: std}}
	add := func(r run, times float64, most time.Duration) { rows = append(rows, row{r, times, most}) }
	add(m.run(ctx, commands[0]), firstMost, 0)
	again := m.again(ctx, commands[0])
	for range 2 { // others may use the machine: the best of three counts
		if r := m.again(ctx, commands[0]); r.err != nil || r.wall < again.wall {
			again = r
		}
	}
	again.command += "  # again"
	add(again, 0, secondMost)
	if !firstAlone {
		add(m.run(ctx, commands[1]), testMost, 0)
	}
	if all {
		add(m.run(ctx, "go run ./examples/review"), reviewMost, 0)
		if err := m.link("sh", "cat", "true"); err != nil { // which the tests of the command start
			return err
		}
		add(m.run(ctx, "go test work"), workMost, 0)
	}
	return report(rows, std.cpu)
}

// twoCommands returns the commands that README.md shows below "Two commands".
func twoCommands(readme string) (commands []string, err error) {
	text, err := os.ReadFile(readme)
	if err != nil {
		return nil, err
	}
	_, section, _ := strings.Cut(string(text), "\n## Two commands\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if command, shown := strings.CutPrefix(line, "    "); shown {
			command, _, _ = strings.Cut(command, "#")
			if !strings.HasPrefix(command, "git clone ") { // the machine has one
				commands = append(commands, strings.TrimSpace(command))
			}
		}
	}
	if len(commands) != 2 {
		return nil, fmt.Errorf("%s shows %q, not two commands", readme, commands)
	}
	return commands, nil
}

// A machine is a clone of HEAD and an environment that has Go, git and nothing else.
type machine struct {
	dir, clone string
	env        []string
}

func newMachine(ctx context.Context) (m *machine, err error) {
	dir, err := os.MkdirTemp("", "fresh")
	if err != nil {
		return nil, err
	}
	m = &machine{dir: dir, clone: filepath.Join(dir, "swarmbus")}
	bin := filepath.Join(dir, "bin")
	if err := errors.Join(os.Mkdir(bin, 0o700), os.Mkdir(filepath.Join(dir, "home"), 0o700), os.Mkdir(filepath.Join(dir, "tmp"), 0o700)); err != nil {
		return nil, err
	}
	if err := m.link("go", "git"); err != nil {
		return nil, err
	}
	m.env = []string{
		"PATH=" + bin, "HOME=" + filepath.Join(dir, "home"), "TMPDIR=" + filepath.Join(dir, "tmp"),
		"GOCACHE=" + m.cache(), "GOMODCACHE=" + filepath.Join(dir, "modules"),
	}
	// How this machine reaches modules is not of the checkout.
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GONOPROXY").Output()
	if err != nil {
		return nil, err
	}
	var reach map[string]string
	if err := json.Unmarshal(out, &reach); err != nil {
		return nil, err
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		reach[name] = os.Getenv(name)
	}
	for name, value := range reach {
		if value != "" {
			m.env = append(m.env, name+"="+value)
		}
	}
	root, err := exec.CommandContext(ctx, "git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return nil, err
	}
	return m, exec.CommandContext(ctx, "git", "clone", "--quiet", "--no-local", strings.TrimSpace(string(root)), m.clone).Run()
}

// link puts programs on the path.
func (m *machine) link(names ...string) error {
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(m.dir, "bin", name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) cache() string { return filepath.Join(m.dir, "cache") }

// remove removes all of it; what modules were downloaded cannot be written.
func (m *machine) remove() error {
	clean := exec.Command("go", "clean", "-modcache")
	clean.Env = m.env
	return errors.Join(clean.Run(), os.RemoveAll(m.dir))
}

// A run is what a command took.
type run struct {
	command   string
	cpu, wall time.Duration
	err       error
}

// run runs a command with an empty build cache.
func (m *machine) run(ctx context.Context, command string) run {
	if err := os.RemoveAll(m.cache()); err != nil {
		return run{command: command, err: err}
	}
	return m.again(ctx, command)
}

// again runs a command with what was built before.
func (m *machine) again(ctx context.Context, command string) run {
	words := strings.Fields(command)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env = m.clone, m.env
	fmt.Println("===", command)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	r := run{command: command, wall: time.Since(start), err: err}
	if cmd.ProcessState != nil {
		r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() // its children, too
	}
	if err != nil {
		os.Stdout.Write(out)
	}
	return r
}

// A row is a run with what it may cost: so many times std, or so long; 0: anything.
type row struct {
	run
	times float64
	most  time.Duration
}

// report prints a table, and says what failed or took more than it may.
func report(rows []row, std time.Duration) (err error) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "CPU s\t× std\tat most\ts\tat most\t  command\t")
	for _, r := range rows {
		times := r.cpu.Seconds() / std.Seconds()
		var most, longest string
		if r.times > 0 {
			most = fmt.Sprintf("%.1f", r.times)
			if times > r.times {
				err = errors.Join(err, fmt.Errorf("%s takes %.2f × the CPU of go build std, and may take %.1f", r.command, times, r.times))
			}
		}
		if r.most > 0 {
			longest = fmt.Sprintf("%.1f", r.most.Seconds())
			if r.wall > r.most {
				err = errors.Join(err, fmt.Errorf("%s takes %.2f s, and may take %s", r.command, r.wall.Seconds(), longest))
			}
		}
		if r.err != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", r.command, r.err))
		}
		fmt.Fprintf(w, "%.1f\t%.2f\t%s\t%.1f\t%s\t  %s\t\n", r.cpu.Seconds(), times, most, r.wall.Seconds(), longest, r.command)
	}
	w.Flush()
	return err
}
