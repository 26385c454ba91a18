package main

import (
	"cmp"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/internal/files"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

func newKeys() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "keys NAME...",
		Short: "Make the keys of processes on NATS servers that are not trusted",
		Long: `Keys makes an Ed25519 key for each name, as NAME.key in a directory, unless it is there, and
prints the name with its public key: a line of the file for --trust. A name is that of an
agent, or system for processes that drive (solve, rooms, serve): what they sign counts as
anybody's. Make each key where it is used; only public keys go to other machines.

  swarmbus keys critic --dir keys                       # on the critic's machine
  swarmbus agent --as critic --nats nats://n1:4222 --sign keys/critic.key --trust swarm.trust

The file for --trust has the lines of all processes, and all of them need the same one. What
no key of its source signed is in no log of theirs, and each of them says so.`,
		Args: func(_ *cobra.Command, names []string) error {
			if len(names) == 0 {
				return usage(errors.New("a name is required: that of an agent, or system"))
			}
			for _, name := range names {
				if err := events.CheckName("name", name); err != nil {
					return usage(err)
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, names []string) error {
			made := events.Keys{Dir: dir}
			for _, name := range names {
				key, err := made.Get(name, "")
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), name, events.PublicText(key))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "directory of the keys")
	return cmd
}

// keys adds to the options the key with which this process signs, and those that it trusts. A
// process that would not be heard is refused here.
func (f *natsFlags) keys(o *natsbus.Options) (err error) {
	if f.sign != "" {
		if o.Key, err = events.ReadKey(f.sign); err != nil {
			return err
		}
	}
	if f.trust == "" {
		return nil
	}
	if o.Keys, err = trusted(f.trust); err != nil {
		return err
	}
	name := cmp.Or(f.agent, bus.System)
	switch {
	case f.watches:
		return nil
	case f.sign == "":
		return usage(errors.New("--trust needs --sign: what this process says would not count without a signature"))
	}
	public, _ := o.Key.Public().(ed25519.PublicKey)
	if !slices.ContainsFunc(slices.Concat(o.Keys[name], o.Keys[bus.System]), func(k ed25519.PublicKey) bool { return public.Equal(k) }) {
		return usage(fmt.Errorf("%s does not trust the key of --sign for %s: its line is\n%s %s", f.trust, name, name, events.PublicText(o.Key)))
	}
	return nil
}

// trusted reads a file that has a name and a public key on each line.
func trusted(file string) (map[string][]ed25519.PublicKey, error) {
	text, err := files.Read(file, 1<<20)
	if err != nil {
		return nil, err
	}
	all, number := map[string][]ed25519.PublicKey{}, 0
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if number++; len(words) == 0 {
			continue
		}
		name := strings.Join(words[:len(words)-1], " ")
		key, err := base64.StdEncoding.DecodeString(words[len(words)-1])
		if err != nil || len(key) != ed25519.PublicKeySize || name == "" {
			return nil, fmt.Errorf("%s:%d: not a name and a public key, as swarmbus keys prints them", file, number)
		}
		all[name] = append(all[name], key)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no key: nobody would be heard", file)
	}
	return all, nil
}
