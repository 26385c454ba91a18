package office_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/office"
	"github.com/swarmbus/swarmbus/swarm/rooms/terminal"
)

func TestUserHasTheMembersOfARoomDecide(t *testing.T) {
	t.Parallel()
	o, err := office.Parse("f.yaml", []byte(`
chair: Dana
agents:
  - {name: Reed, rooms: [ops], position: Copy it to S3., script: [{when: never, say: x}]}
  - {name: Veda, rooms: [ops], position: Copy it to S3., script: [{when: never, say: x}]}
  - {name: Otto, rooms: [ops], position: Copy it to S3., script: [{when: never, say: x}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	options, err := o.Build(office.Parts{Keys: &events.Keys{Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := rooms.New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var out bytes.Buffer
	s := terminal.New(r, &out, "ops")
	s.Chair = o.Chair
	ran, shown := make(chan error, 1), make(chan error, 1)
	go func() { ran <- r.Run(ctx) }()
	go func() { shown <- s.Show(ctx) }()
	for _, line := range []string{"/decide Where do we copy it to?", "/wait"} {
		if _, err := s.Do(ctx, line); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := errors.Join(<-ran, <-shown); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := r.Close(context.Background()); err != nil {
		t.Error(err)
	}
	if text := out.String(); !strings.Contains(text, "§1 ▸ Dana calls Solve, members decide: Copy it to S3. (reached ") || !strings.Contains(text, "\nDana: Copy it to S3. (reached ") {
		t.Errorf("the terminal shows\n%s", text)
	}
}
