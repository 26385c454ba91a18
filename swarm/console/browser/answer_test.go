package browser_test

import (
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// shown is what "swarmbus show" prints of a solve.
func shown(t *testing.T, dir, id string, args ...string) string {
	t.Helper()
	run, thread, _ := strings.Cut(id, ".")
	out, err := exec.Command(*program, append([]string{"show", filepath.Join(dir, run+".journal"), "--thread", thread}, args...)...).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// The answer is a text whose citations lead to the signals. A signal taken back after the
// decision changes it on the page as in swarmbus show.
func TestAnswerIsATextWithItsSourcesAndIsRevised(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := demo(t, "--dir", dir)
	p := open(t, s)
	id := p.openSolve(migration)
	p.see(".written", "The answer is")
	cited := p.text(".written .ref")
	p.click(".written .ref", cited)
	p.see(".then b.mono", cited)
	p.press(kb.End)
	p.see(".written", "votes are for it.")
	type detail struct {
		Votes []struct {
			Seq      uint64
			Proposal string
			Stance   string
		}
		Decision  struct{ Choice string }
		Synthesis struct{ Text string }
		Revision  *struct{ Changed bool }
	}
	before := api[detail](p, "solves/"+id)
	if before.Revision != nil || !strings.Contains(shown(t, dir, id, "--answer"), before.Synthesis.Text) {
		t.Errorf("%+v; swarmbus show has\n%s", before, shown(t, dir, id, "--answer"))
	}
	s.stop()
	run, thread, _ := strings.Cut(id, ".")
	for _, v := range before.Votes {
		if v.Proposal != before.Decision.Choice || v.Stance != "agree" {
			continue
		}
		text, err := exec.Command(*program, "retract", filepath.Join(dir, run+".journal"), itoa(int(v.Seq)), "<b>a mistake</b>", "--thread", thread).CombinedOutput()
		var ended *exec.ExitError // by 3 where the decision falls
		if err != nil && !(errors.As(err, &ended) && ended.ExitCode() == 3) && !strings.Contains(string(text), "already taken back") {
			t.Fatalf("%v: %s", err, text)
		}
	}
	s.again()
	p.visit(s.path("/solves/" + id))
	p.see(".then.revised", "Without what was taken back after it, the decision changes")
	p.see(".fact", "<b>a mistake</b>")
	var last struct {
		Revision struct {
			Changed  bool
			Decision struct{ Outcome string }
		}
	}
	lines := strings.Split(strings.TrimSpace(shown(t, dir, id, "--json")), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || !last.Revision.Changed {
		t.Fatalf("swarmbus show --json: %v, %s", err, lines[len(lines)-1])
	}
	p.see(".then.revised", ": "+last.Revision.Decision.Outcome)
	p.visit(s.path("/solves"))
	p.see(`tr[data-solve="`+id+`"]`, "stands no more")
}
