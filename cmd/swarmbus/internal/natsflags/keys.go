package natsflags

import (
	"cmp"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// NewKeys returns the command that makes and shows keys of processes.
func NewKeys() *cobra.Command {
	var dir string
	var as cli.List
	cmd := &cobra.Command{
		Use:   "keys NAME...",
		Short: "Make the keys of processes on NATS servers that are not trusted",
		Long: `Keys makes an Ed25519 key for each name, as NAME.key in a directory, unless it is there, and
prints the name with its public key: a line of the file for --trust. A name is that of an
agent, or system for processes that drive (solve, rooms, serve): what they sign counts as
anybody's. Make each key where it is used; only public keys go to other machines.

The file for --trust has the lines of all processes, and all of them need the same one. What
no key of its source signed is in no log of theirs, and each of them says so. A process reads
the file when it starts: trust a new key in all of them before one signs with it.`,
		Args: func(_ *cobra.Command, names []string) error {
			if len(names) == 0 {
				return cli.Usage(errors.New("a name is required: that of an agent, or system"))
			}
			for _, name := range names {
				if err := events.CheckName("name", name); err != nil {
					return cli.Usage(err)
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, names []string) error {
			made := events.Keys{Dir: dir}
			type public struct {
				Name string `json:"name"`
				Key  string `json:"key"`
			}
			var all []public
			var said cli.Table
			for _, name := range names {
				key, err := made.Get(name, "")
				if err != nil {
					return err
				}
				all = append(all, public{name, events.PublicText(key)})
				said.Row(name + " " + events.PublicText(key))
			}
			return cli.PrintList(cmd.OutOrStdout(), &as, all, &said)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "directory of the keys")
	as.Report(cmd.Flags())
	return cmd
}

// A keyring has the keys of the flags, which a process reads once: logs that it joins later trust
// the same ones as its first log, whatever the files say by then.
type keyring struct {
	once sync.Once
	sign ed25519.PrivateKey
	all  map[string][]ed25519.PublicKey
	err  error
}

// keys adds to the options the key with which this process signs, and those that it trusts. A
// process that would not be heard, or would check nothing, is refused here.
func (f *Flags) keys(o *natsbus.Options) error {
	if f.sign == "" && f.trust == "" {
		return nil
	}
	f.ring.once.Do(func() { f.ring.err = f.readKeys() })
	if f.ring.err != nil {
		return f.ring.err
	}
	o.Key, o.Keys = f.ring.sign, f.ring.all
	if f.Watches {
		return nil
	}
	if o.Key == nil {
		return cli.Usage(errors.New("--trust needs --sign: what this process says would not count without a signature"))
	}
	name := cmp.Or(f.Agent, bus.System)
	public, _ := o.Key.Public().(ed25519.PublicKey)
	if !slices.ContainsFunc(slices.Concat(o.Keys[name], o.Keys[bus.System]), func(k ed25519.PublicKey) bool { return public.Equal(k) }) {
		return cli.Usage(fmt.Errorf("%s does not trust the key of --sign for %s: its line is\n%s %s", f.trust, name, name, events.PublicText(o.Key)))
	}
	return nil
}

func (f *Flags) readKeys() (err error) {
	if f.trust == "" {
		return cli.Usage(errors.New("--sign needs --trust: without it this process would take what anybody says"))
	}
	if f.sign != "" {
		if f.ring.sign, err = events.ReadKey(f.sign); err != nil {
			return err
		}
	}
	f.ring.all, err = natsbus.ReadKeys(f.trust)
	return err
}
