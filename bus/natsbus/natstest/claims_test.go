package natstest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
)

func TestForgedClaimsRaiseNoAlarmWithKeysAndHoldNothingUp(t *testing.T) {
	t.Parallel()
	for _, signed := range []bool{true, false} {
		t.Run(fmt.Sprintf("signed %v", signed), func(t *testing.T) {
			t.Parallel()
			url := natstest.Start(t, natstest.Options{})[0].URL()
			private, public := keys(t, "a", "b")
			if !signed {
				private, public = nil, nil
			}
			alarms := make(chan natsbus.Difference, 100)
			o := natsbus.Options{URL: url, Process: "one", Compare: 50 * time.Millisecond, Key: private["a"], Keys: public}
			o.Tell.Alarm = func(d natsbus.Difference) { alarms <- d }
			one := join(t, o)
			must(t, agent(t, one, "a"), found("t", "x"))
			conn, _ := rawClient(t, url)
			if !signed { // one that does not answer; otherwise there is none, which is known at once
				if _, err := conn.SubscribeSync("swarmbus.derived.mute"); err != nil {
					t.Fatal(err)
				}
			}
			for range 3 {
				if err := conn.Publish("swarmbus.derived", []byte(`{"process":"mute","from":1,"to":2,"hash":1}`)); err != nil {
					t.Fatal(err)
				}
			}
			if err := conn.Flush(); err != nil {
				t.Fatal(err)
			}
			join(t, natsbus.Options{
				URL: url, Process: "other", Compare: 50 * time.Millisecond, Key: private["b"], Keys: public,
				Digest: func(signals.Any) []byte { return []byte("differs") },
			})
			select {
			case d := <-alarms:
				if d.Process != "other" {
					t.Errorf("%v", d)
				}
			case <-time.After(4 * time.Second): // a question waits 5 s for its answer
				t.Error("the comparison stands still")
			}
		})
	}
}
