package web_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/web"
)

// maxBundle is how much a browser may have to load before it shows anything, in bytes.
const maxBundle = 150 << 10

func TestBundleIsSmall(t *testing.T) {
	t.Parallel()
	total := 0
	for name, data := range files(t) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%-20s %7d bytes, %6d compressed", name, len(data), b.Len())
		total += b.Len()
	}
	t.Logf("all: %d bytes compressed", total)
	if total > maxBundle {
		t.Errorf("the page has %d bytes compressed, want at most %d", total, maxBundle)
	}
}

// A Content-Security-Policy without 'unsafe-inline' would refuse these.
func TestPageHasNothingInline(t *testing.T) {
	t.Parallel()
	page := string(files(t)["index.html"])
	for _, inline := range []string{`<style`, ` style=`, ` onload=`, ` onclick=`, `javascript:`} {
		if strings.Contains(page, inline) {
			t.Errorf("index.html has %q", inline)
		}
	}
	for _, script := range regexp.MustCompile(`<script[^>]*>`).FindAllString(page, -1) {
		if !strings.Contains(script, ` src="/assets/`) {
			t.Errorf("index.html has the script %s, want one from /assets", script)
		}
	}
}

func TestPageLoadsNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	loads := regexp.MustCompile(`(?:src|href)="(?:https?:)?//|url\((?:https?:)?//|@import|(?:fetch|EventSource|import)\(["'` + "`" + `](?:https?:)?//`)
	for name, data := range files(t) {
		if found := loads.Find(data); found != nil {
			t.Errorf("%s has %q", name, found)
		}
	}
}

func files(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := fs.WalkDir(web.Files(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		all[name], err = fs.ReadFile(web.Files(), name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"index.html", "assets/console-*.js", "assets/console-*.css"} {
		if names, err := fs.Glob(web.Files(), pattern); err != nil || len(names) != 1 {
			t.Fatalf("there are %d files %s, want 1", len(names), pattern)
		}
	}
	return all
}
