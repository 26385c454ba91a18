package natsbus

import (
	"errors"
	"testing"
)

// An operator sees where a dead letter was sent to, so whom to ask, also if it names no process.
func TestDeadLetterNamesItsSubject(t *testing.T) {
	t.Parallel()
	d := &DeadLetter{Seq: 7, Subject: "swarmbus.log.t.vote.ann", Reason: Malformed, Err: errors.New("garbage")}
	if got, want := d.Error(), "natsbus: message 7 to swarmbus.log.t.vote.ann by an unnamed process is malformed: garbage"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
