package natsflags

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// Flags say where a log of many machines is.
type Flags struct {
	URL      string
	creds    string
	ca       string
	cert     string
	key      string
	Stream   string
	domain   string
	replicas int
	keep     []string
	monitor  []string
	strict   bool
	sign     string
	trust    string
	Agent    string   // that this process runs; "": none
	Watches  bool     // it publishes nothing
	Several  bool     // this process has other logs, too
	ring     *keyring // of --sign and --trust, of all copies

	Snapshots time.Duration
}

// Define defines the flags. The stream that is set is the default.
func (f *Flags) Define(flags *pflag.FlagSet) {
	f.ring = new(keyring)
	flags.StringVar(&f.URL, "nats", "", "URLs of NATS servers, with commas between: nats://host:4222, or tls://")
	flags.StringVar(&f.creds, "creds", "", "file with the credentials of a NATS user, or the seed of its nkey")
	flags.StringVar(&f.ca, "tls-ca", "", "file with the certificate authorities of the NATS servers (default: the system's)")
	flags.StringVar(&f.cert, "tls-cert", "", "file with the certificate of this process, for servers that verify it")
	flags.StringVar(&f.key, "tls-key", "", "file with the key of --tls-cert")
	flags.StringVar(&f.sign, "sign", "", "file with the key that signs what this process says: see swarmbus keys")
	flags.StringVar(&f.trust, "trust", "", "file with the public keys of all processes: what they did not sign does not count")
	flags.StringVar(&f.Stream, "stream", cmp.Or(f.Stream, "swarmbus"), "name of the log")
	flags.StringVar(&f.domain, "domain", "", "JetStream domain of the log's servers, from behind a leaf node")
	flags.IntVar(&f.replicas, "replicas", 1, "servers that have each signal")
	flags.StringArrayVar(&f.keep, "keep", nil, "what the log keeps: an age (720h), a size (10GB) or a number of messages; may be repeated (default: everything)")
	flags.StringArrayVar(&f.monitor, "monitor", nil, "URL of the monitoring port of a server of the log, to check that it syncs; once for each")
	flags.BoolVar(&f.strict, "strict", false, "refuse servers that may lose what they acknowledged")
}

// DefineSnapshots is for commands that may store snapshots.
func (f *Flags) DefineSnapshots(flags *pflag.FlagSet) {
	flags.DurationVar(&f.Snapshots, "snapshots", 0, "with --nats, between two snapshots of the log, such as 10m, so that the stream may have limits (default: none)")
}

// Check refuses flags of a log that was not named, and those without a value, such as that of a
// variable that is not set: what they say would be ignored.
func (f *Flags) Check(flags *pflag.FlagSet) (err error) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(Flags).Define(own)
	new(Flags).DefineSnapshots(own)
	own.VisitAll(func(flag *pflag.Flag) {
		given := flags.Lookup(flag.Name)
		switch {
		case err != nil || given == nil || !given.Changed:
		case given.Value.String() == "":
			err = cli.Usage(fmt.Errorf("--%s is empty", flag.Name))
		case f.URL == "":
			err = cli.Usage(fmt.Errorf("--%s is for a log on NATS servers, which --nats names", flag.Name))
		}
	})
	return err
}

// Join joins the log with the program's own options, and says on w how the connection is.
func (f *Flags) Join(ctx context.Context, w io.Writer, o natsbus.Options) (*natsbus.Log, error) {
	stop, err := f.complete(w, &o)
	if err != nil {
		return nil, err
	}
	defer stop()
	log, err := natsbus.Join(ctx, o)
	return log, byFlags(err)
}

// complete adds to the options what the flags say, and reports the connection's state on w. The
// caller stops waiting for an answer of the servers.
func (f *Flags) complete(w io.Writer, o *natsbus.Options) (stop func() bool, err error) {
	config, err := f.tls()
	if err != nil {
		return nil, err
	}
	if err := f.keys(o); err != nil {
		return nil, err
	}
	say := func(what any) { fmt.Fprintln(w, f.About(), text.Printable(fmt.Sprint(what))) }
	slow := time.AfterFunc(slowly, func() { say("no answer yet from " + natsbus.Redacted(f.URL) + ", trying again until interrupted") })
	var joined atomic.Bool
	o.URL, o.Creds, o.TLS, o.Stream, o.Domain, o.Agent = f.URL, f.creds, config, f.Stream, f.domain, f.Agent
	o.Use = cmp.Or(o.Use, "solves")
	host, _ := os.Hostname()
	o.Process = fmt.Sprintf("%s-%d-%s", cmp.Or(host, "host"), os.Getpid(), strings.ToLower(rand.Text()[:4])) // of several connections each has its own
	o.Storage = natsbus.Storage{Replicas: f.replicas, Monitor: f.monitor, Strict: f.strict}
	if err := f.limits(&o.Storage); err != nil {
		return nil, err
	}
	if f.Snapshots > 0 {
		o.Over = func(string) bool { return false } // what was decided, or said in rooms, is what they are
	}
	o.Tell = natsbus.Tell{
		Warn: func(problem string) { say(flagOf.Replace(problem)) },
		Status: func(s natsbus.Status) {
			if s.Connected {
				joined.Store(true)
			} else if !joined.Load() {
				say(fmt.Sprint("no connection yet, trying again: ", s.Err))
				return
			}
			slow.Stop()
			say(s)
		},
		Dead:  func(d natsbus.DeadLetter) { say(&d) },
		Alarm: func(d natsbus.Difference) { say("alarm: " + d.String()) },
		Waits: func(h natsbus.Holder) { say("waiting: " + h.String()) },
	}
	if o.Codec != nil {
		o.Bus.Limits = o.Codec.Limits
	}
	return slow.Stop, nil
}

// line is the connection of an agent that takes its turns.
type line = interface {
	machines.Server
	Results(ctx context.Context) (*natsbus.Results, error)
	Close()
}

// Attend connects an agent: to the servers alone, or to the log if it learns from it.
func (f *Flags) Attend(ctx context.Context, w io.Writer, fold func(signals.Any) []byte) (line, error) {
	if fold != nil {
		return f.JoinSwarm(ctx, w, fold)
	}
	var o natsbus.Options
	stop, err := f.complete(w, &o)
	if err != nil {
		return nil, err
	}
	defer stop()
	link, err := natsbus.Dial(ctx, o)
	return link, byFlags(err)
}

// JoinSwarm joins the log of a swarm, whose signals go to a fold, too, if there is one.
func (f *Flags) JoinSwarm(ctx context.Context, w io.Writer, fold func(signals.Any) []byte) (*natsbus.Log, error) {
	codec, err := machines.Codec()
	if err != nil {
		return nil, err
	}
	digest := machines.Digest()
	return f.Join(ctx, w, natsbus.Options{Codec: codec, Reserved: machines.Reserved(), Digest: func(s signals.Any) []byte {
		fold(s)
		return digest(s)
	}})
}

// Records are those of a log's solves; what is left out of them is said on w.
func (f *Flags) Records(w io.Writer) *machines.Records {
	r := machines.NewRecords()
	r.Ignored = func(d natsbus.DeadLetter) { fmt.Fprintln(w, f.About(), text.Printable(d.Error())) }
	return r
}

// About is what lines about the log begin with: with its name if there are others.
func (f *Flags) About() string {
	if f.Several {
		return "nats: " + f.Stream + ":"
	}
	return "nats:"
}

// slowly is how long the servers may be silent before the user is informed.
const slowly = 3 * time.Second

// tls returns what the files say; nil: the URL does.
func (f *Flags) tls() (*tls.Config, error) {
	if (f.cert == "") != (f.key == "") {
		return nil, cli.Usage(errors.New("--tls-cert and --tls-key belong together"))
	}
	if f.ca == "" && f.cert == "" {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.ca != "" {
		text, err := os.ReadFile(f.ca)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate in PEM", f.ca)
		}
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// Help says what users of --nats see and may set.
const Help = `
Log on NATS servers:
  --nats nats://n1:4222,nats://n2:4222   the servers; tls://n1:4222 asks for TLS
  --creds agent.creds                    who this process is, for servers with accounts
  --tls-ca ca.pem                        whom to trust, if not the system's authorities
  --tls-cert me.pem --tls-key me.key     this process's certificate, if servers want one
  --sign critic.key --trust swarm.trust  sign, and check who signed, on servers that are not
                                         trusted: see swarmbus keys
  --domain home                          the servers are a leaf node, the log is in that domain
  --keep 720h --keep 10GB                drop what is older, or beyond that size, of a new log,
                                         which needs a process with --snapshots
  --replicas 3 --strict --monitor http://n1:8222 --monitor http://n2:8222 --monitor http://n3:8222
                                         refuse servers that may lose what they acknowledge

A lost connection is reported and tried again until it holds; nothing said is lost meanwhile.
`
