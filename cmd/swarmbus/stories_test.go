package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/modelstest"
)

// A cue of a script of models is what who is addressed so ("are ann", a regular expression as the others)
// answers, if what it was asked has a text and lacks another.
type cue struct{ You, Hears, Lacks, Says string }

// answer returns what a model says by a script: by the first line that is about the request. In it
// REF is the first proposal that the request names.
func answer(script []cue, r *models.Request) modelstest.Reply {
	asked := ""
	for _, m := range r.Messages {
		asked += m.Text
	}
	for _, l := range script {
		hears, _ := regexp.MatchString(l.Hears, asked)
		lacks, _ := regexp.MatchString(l.Lacks, asked)
		you, _ := regexp.MatchString("(?s)^You "+l.You, r.System)
		if you && hears && (l.Lacks == "" || !lacks) {
			return modelstest.Reply{Text: strings.ReplaceAll(l.Says, "REF", regexp.MustCompile(`\bP\d+\b`).FindString(asked))}
		}
	}
	return modelstest.Reply{Text: `{"say":[{"type":"pass","reason":"nothing to add"}]}`}
}

// Each story of testdata/stories is that of one of the five documents, told with the command, files and
// HTTP alone. These commands are of the stories:
//
//	plays FILE              a server of models that answers by a script; $MODELS is its URL
//	serves ARGS             swarmbus serve; $SERVER is its link
//	http METHOD PATH [FILE] a request to that server, with a body; it prints status and answer
//	keep NAME REGEXP        $NAME is the first group in what was printed last
//	exits N PROGRAM ARGS    the program ends with that status
func TestStories(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", modelstest.Key)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/stories",
		Setup: func(e *testscript.Env) error {
			e.Setenv("OPENAI_API_KEY", modelstest.Key)
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"plays": func(ts *testscript.TestScript, _ bool, args []string) {
				var script []cue
				ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &script))
				s := modelstest.NewServer(modelstest.OpenAI, func(_ int, r *models.Request) modelstest.Reply { return answer(script, r) })
				ts.Defer(s.Close)
				ts.Setenv("MODELS", s.URL)
			},
			"serves": func(ts *testscript.TestScript, _ bool, args []string) {
				ctx, cancel := context.WithCancel(context.Background())
				out, printed := io.Pipe()
				ended := make(chan int, 1)
				go func() {
					ended <- run(ctx, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...), printed, io.Discard)
				}()
				ts.Defer(func() { cancel(); <-ended })
				text, err := bufio.NewReader(out).ReadString('\n')
				ts.Check(err)
				ts.Setenv("SERVER", strings.TrimSpace(strings.TrimPrefix(text, "The console is at ")))
			},
			"http": func(ts *testscript.TestScript, _ bool, args []string) {
				base, token, _ := strings.Cut(ts.Getenv("SERVER"), "/#token=")
				var body io.Reader
				if len(args) > 2 {
					body = strings.NewReader(ts.ReadFile(args[2]))
				}
				r, err := http.NewRequest(args[0], base+args[1], body) //nolint:noctx // the story ends
				ts.Check(err)
				r.Header.Set("Authorization", "Bearer "+token)
				r.Header.Set("Content-Type", "application/json")
				got, err := http.DefaultClient.Do(r)
				ts.Check(err)
				all, err := io.ReadAll(got.Body)
				ts.Check(err)
				ts.Check(got.Body.Close())
				fmt.Fprintf(ts.Stdout(), "%d\n%s\n", got.StatusCode, all)
			},
			"keep": func(ts *testscript.TestScript, _ bool, args []string) {
				found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout") + ts.ReadFile("stderr"))
				if found == nil {
					ts.Fatalf("nothing printed is %s", args[1])
				}
				ts.Setenv(args[0], found[1])
			},
			"replace": replace,
		},
	})
}
