package natsflags

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// What cannot be heard is refused before a process connects, with the line or flag that is wrong.
func TestUntrustedKeysAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	line := func(name string) string {
		key, err := (&events.Keys{Dir: dir}).Get(name, "")
		if err != nil {
			t.Fatal(err)
		}
		return name + " " + events.PublicText(key)
	}
	system, critic, planner := line("system"), line("critic"), line("planner")
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key := func(name string) string { return filepath.Join(dir, name+".key") }
	good := file("good", "# all of them\n\n"+system+"\n  "+critic+"  # of n2\nthe "+planner+"\n")
	for name, c := range map[string]struct {
		f    Flags
		want string // "": it is taken
	}{
		"none":                     {Flags{}, ""},
		"a driver":                 {Flags{sign: key("system"), trust: good}, ""},
		"an agent":                 {Flags{sign: key("critic"), trust: good, Agent: "critic"}, ""},
		"a name of two words":      {Flags{sign: key("planner"), trust: good, Agent: "the planner"}, ""},
		"an agent as the system":   {Flags{sign: key("system"), trust: good, Agent: "critic"}, ""},
		"who only watches":         {Flags{trust: good, Watches: true}, ""},
		"who only signs":           {Flags{sign: key("critic"), Agent: "critic"}, "--sign needs --trust"},
		"a driver that only signs": {Flags{sign: key("system")}, "--sign needs --trust"},
		"no key":                   {Flags{trust: good}, "--trust needs --sign"},
		"another agent":            {Flags{sign: key("critic"), trust: good, Agent: "planner"}, "does not trust the key of --sign for planner: its line is\nplanner " + strings.Fields(critic)[1]},
		"an agent as a driver":     {Flags{sign: key("critic"), trust: good}, "for system"},
		"no such key":              {Flags{sign: key("eve"), trust: good}, "no such file"},
		"no such file":             {Flags{sign: key("critic"), trust: filepath.Join(dir, "none")}, "no such file"},
		"a line without a name":    {Flags{sign: key("system"), trust: file("a", system+"\n"+strings.Fields(critic)[1])}, "a:2: not a name and a public key"},
		"a line without a key":     {Flags{sign: key("system"), trust: file("b", "critic aGk=\n")}, "b:1: not a name and a public key"},
		"a file without keys":      {Flags{sign: key("system"), trust: file("c", "# none\n")}, "has no key"},
	} {
		var o natsbus.Options
		c.f.ring = new(keyring)
		err := c.f.keys(&o)
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err == nil && ((o.Key == nil) != (c.f.sign == "") || (o.Keys == nil) != (c.f.trust == "")) {
			t.Errorf("%s: the options have not what the flags say: %v, %v", name, o.Key, o.Keys)
		}
	}
}

// A console joins its log once, and another one for each solve that it drives.
func TestLogsOfAProcessTrustTheSameKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	made := events.Keys{Dir: dir}
	trust, lines := filepath.Join(dir, "swarm.trust"), ""
	adds := func(name string) {
		key, err := made.Get(name, "")
		if err != nil {
			t.Fatal(err)
		}
		lines += name + " " + events.PublicText(key) + "\n"
		if err := os.WriteFile(trust, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trusts := func(f Flags) int {
		var o natsbus.Options
		if err := f.keys(&o); err != nil {
			t.Fatal(err)
		}
		return len(o.Keys)
	}
	process := func() (f Flags) {
		f.Define(pflag.NewFlagSet("", pflag.ContinueOnError))
		f.sign, f.trust = filepath.Join(dir, "system.key"), trust
		return f
	}
	adds("system")
	first := process()
	if n := trusts(first); n != 1 {
		t.Errorf("it trusts %d names", n)
	}
	adds("critic")
	if n := trusts(first); n != 1 {
		t.Errorf("its next log trusts %d names, want those of the first one", n)
	}
	if n := trusts(process()); n != 2 {
		t.Errorf("a new process trusts %d names, want both", n)
	}
}
