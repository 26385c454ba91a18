package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/tools"
)

// recurses panics deep down, with a value that a terminal would act on.
func recurses(n int) int {
	if n == 0 {
		panic("bug\x1b[31m" + strings.Repeat("x", 10_000))
	}
	return 1 + recurses(n-1)
}

// A tool that panics is an error of the call with the tool's name, and the program's log has a stack, of bounded length.
// The other calls of the turn, and later ones, are made.
func TestPanicOfAToolIsAnErrorResultAndAStackInTheLog(t *testing.T) {
	var log bytes.Buffer
	was := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&log, nil)))
	defer slog.SetDefault(was)
	set := tools.Of(
		tools.Func("count", "Counts.", tools.Hints{ReadsOnly: true}, func(context.Context, struct{}) (int, error) { return recurses(5000), nil }),
		tools.Func("look", "Looks.", tools.Hints{ReadsOnly: true}, func(context.Context, struct{}) (string, error) { return "seen", nil }),
	)
	all := made(t, set, call("count", `{}`), call("look", `{}`))
	if o := all[0]; o.How != tools.Broken || !o.IsError || !strings.Contains(o.Text, "the call of count got no result") || !strings.Contains(o.Text, "panicked: bug") {
		t.Errorf("got %+v", o)
	}
	if o := all[1]; o.Text != "seen" {
		t.Errorf("the other call: %+v", o)
	}
	var line struct{ Of, Value, Stack string }
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatalf("%v in %q", err, log.String())
	}
	if line.Of != "count" || !strings.Contains(line.Stack, "tools_test.recurses") || !strings.HasPrefix(line.Value, "bug") || strings.Contains(line.Value, "\x1b") {
		t.Errorf("logged %+v", line)
	}
	if log.Len() > 20_000 {
		t.Errorf("a line of %d bytes", log.Len())
	}
}
