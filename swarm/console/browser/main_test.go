package browser_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

var (
	program = flag.String("swarmbus", "", "test this `program` instead of building one")
	images  = flag.String("images", "", "write screenshots into this `directory`")
)

// chrome is the browser that all tests share, and why there is none.
var (
	chrome  context.Context
	without string
)

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		without = "there is no Chromium: .ci/chromium installs one"
		return m.Run(), nil
	}
	dir, err := os.MkdirTemp("", "browser")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if *program == "" {
		*program = filepath.Join(dir, "swarmbus")
		build := exec.Command("go", "build", "-o", *program, "./cmd/swarmbus")
		build.Dir, build.Stderr = filepath.Join("..", "..", ".."), os.Stderr
		if err := build.Run(); err != nil {
			return 0, fmt.Errorf("build swarmbus: %w", err)
		}
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.Headless, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-quic", true), chromedp.Flag("ignore-certificate-errors", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	defer stop()
	ctx, cancel := chromedp.NewContext(alloc)
	defer cancel()
	// Not with a timeout: the browser ends with the context in which it was started.
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		return 0, fmt.Errorf("start Chromium: %w", err)
	}
	chrome = ctx
	return m.Run(), nil
}
