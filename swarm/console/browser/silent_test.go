//go:build unix

package browser_test

import (
	"syscall"
	"testing"
)

// A server that hangs keeps its connections: the page says since when nothing came, and goes on with
// the server.
func TestThePageSaysSinceWhenAServerThatHangsDoesNotAnswer(t *testing.T) {
	t.Parallel()
	s := demo(t)
	p := open(t, s)
	p.see(".foot", "Live")
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	p.see(".foot", "No answer since 1")
	p.see(".note", "The server does not answer.")
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	p.see(".foot", "Live")
	p.wait(`!document.querySelector(".note")`)
}
