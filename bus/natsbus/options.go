package natsbus

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// ErrOption is returned for an invalid field of [Options]; the error names it.
var ErrOption = errors.New("natsbus: invalid option")

// Options of [Join]. All fields have defaults, which the zero value and "" mean.
type Options struct {
	URL     string      // of the servers, with commas between; default: nats://127.0.0.1:4222
	Creds   string      // file with the credentials of a NATS user, or the seed of its nkey; default: none
	TLS     *tls.Config // default: as the URL says
	Domain  string      // JetStream domain of the servers that have the log, from behind a leaf node; default: none
	Process string      // name of this process, which others see and none of them may have, which is warned of; default: a random one

	// Agent is the agent that this process runs: its inboxes begin with _INBOX.AGENT, so that
	// permissions can keep others from them. Default: none, _INBOX.
	Agent string

	// Stream is the name of the log; the streams, subjects and buckets of NATS have it
	// as prefix. Default: swarmbus.
	Stream string
	// Use is what the log is for, such as "rooms", for which processes have kinds, reserved kinds
	// and a digest in common: a process with another one is refused with a [*ConfigError]. The
	// process that makes the log says it. Default: it is not compared.
	Use string

	Storage Storage
	Alone   bool // send each message alone, never several in an envelope

	LeaseTTL time.Duration // after which a lease ends that was not renewed: of a log whose leases are new, otherwise checked; default: 10s
	Remember int           // messages in which readers recognise ids, which all processes must agree on; default: 1<<17
	Compare  time.Duration // between comparisons of what processes have derived; default: 1s

	// Over reports that nothing more happens in a thread, and that nobody needs what did.
	// It makes [Log.Snapshot] possible: the log keeps the signals of the other threads.
	// Default: no snapshots are made; those of others are read.
	Over func(thread string) bool
	// Partial joins a log whose first messages are gone, without a snapshot: of threads that
	// began with them this process derives something else than others. Default: a [*GapError].
	Partial bool

	// Key signs what this process publishes, calls, answers, records and stores as a snapshot.
	// Default: unsigned.
	Key ed25519.PrivateKey
	// Keys are the public keys that may speak for each source, record results of that agent and
	// answer calls for it. Those of [bus.System] may do so for every source, and alone hold
	// leases, make calls and store snapshots. [ReadKeys] reads them from a file. Default, nil:
	// signatures are not checked.
	Keys map[string][]ed25519.PublicKey

	// Reserved are the kinds that only those may say who may speak for [bus.System], whatever
	// the source of the signal: by permission for its subjects, or by a key in Keys. All
	// processes must agree on them: those with others raise an alarm. Default: none.
	Reserved []signals.Kind

	Codec *signals.Codec // reads the signals; without [conflict.Resolution] no resolution ends a conflict; default: that and the built-in kinds
	Bus   bus.Options    // of the bus; History is at most (Remember - 4096) / 2, default 1<<15

	// Digest returns what a signal of the log, which may be that of a conflict, changed in
	// the program's own fold, such as its decisions; processes that differ in it raise an
	// alarm. With Keys, only processes that have a key are heard. It is called in log order by one goroutine. Default: none.
	Digest func(signals.Any) []byte

	Tell Tell
}

// Storage says how servers store a log. The first process that joins makes the streams; the
// others check that they are at least as was asked for, and warn of limits other than were asked
// for, and of any if they asked for none, unless they make snapshots. What is beside the log is
// checked, too: the bucket of snapshots by [Join], that of leases and the stream of results by those
// who open it. Results that could be replaced or vanish are refused.
type Storage struct {
	Replicas   int           // servers that have each signal; 0 means 1
	InMemory   bool          // servers keep the log in memory
	MaxSignals int64         // messages after which the oldest are dropped; 0: no limit
	MaxBytes   int64         // likewise; where an account wants a bound of every stream, that of each
	MaxAge     time.Duration // likewise
	Window     time.Duration // in which servers recognise ids; 0 means 2m

	Monitor []string // URLs of the monitoring ports of all servers that have the log, to check when they sync
	Strict  bool     // refuse to join where otherwise [Tell].Warn is called
}

// Tell has functions that the log calls, in goroutines of its own. They must be quick, and
// must not wait for the log. Nil ones are not called.
type Tell struct {
	Warn   func(problem string) // what a check found, and what to set; or what the servers do not allow
	Status func(Status)         // the connection changed or cannot be made, or whether a server answers for the log's stream
	Dead   func(DeadLetter)     // a message is not in the log, or a recorded result does not count
	Alarm  func(Difference)     // another process derived something else
	Waits  func(Holder)         // a lease that this process asks for is another's
}

// A Status says how the connection to the servers is.
type Status struct {
	Connected bool
	URL       string // of the server
	Err       error  // why the connection was lost, if known, or that no server answers for the log's stream
}

func (s Status) String() string {
	switch {
	case s.Connected:
		return "connected to " + s.URL
	case s.Err != nil:
		return "disconnected, trying again: " + s.Err.Error()
	}
	return "disconnected, trying again"
}

func (o Options) withDefaults() (Options, error) {
	o.URL = cmp.Or(o.URL, "nats://127.0.0.1:4222")
	o.Stream = cmp.Or(o.Stream, "swarmbus")
	o.Process = cmp.Or(o.Process, "process-"+strings.ToLower(rand.Text()[:10]))
	o.Storage.Replicas = cmp.Or(o.Storage.Replicas, 1)
	o.Storage.Window = cmp.Or(o.Storage.Window, 2*time.Minute)
	o.LeaseTTL = cmp.Or(o.LeaseTTL, 10*time.Second)
	o.Remember = cmp.Or(o.Remember, 1<<17)
	o.Compare = cmp.Or(o.Compare, time.Second)
	o.Bus.History = cmp.Or(o.Bus.History, min(1<<15, (o.Remember-4096)/2))
	if o.Codec == nil {
		codec, err := signals.NewCodec(signals.For[conflict.Resolution]())
		if err != nil {
			return o, err
		}
		o.Codec = codec
	}
	return o, o.check()
}

func (o *Options) check() error {
	wrong := func(field string, value any, problem string) error {
		return fmt.Errorf("%w: %s is %v: %s", ErrOption, field, value, problem)
	}
	switch {
	case !areServers(o.URL) && strings.Contains(o.URL, "@"):
		return wrong("URL", fmt.Sprintf("%q", Redacted(o.URL)), "not URLs of servers with nats://, tls://, ws:// or wss://; in a login, other characters than letters and digits are escaped, such as %2F for /")
	case !areServers(o.URL):
		return wrong("URL", fmt.Sprintf("%q", Redacted(o.URL)), "not URLs of servers with nats://, tls://, ws:// or wss://")
	case strings.ContainsAny(o.Stream, " .*>/\\\t\r\n") || len(o.Stream) > 200:
		return wrong("Stream", fmt.Sprintf("%q", o.Stream), "not a name of a stream")
	case strings.ContainsAny(o.Domain, " .*>\t\r\n"):
		return wrong("Domain", fmt.Sprintf("%q", o.Domain), "not a name of a domain")
	case (signals.Limits{}).Name("Process", o.Process) != nil:
		return wrong("Process", o.Process, "not a name")
	case o.Agent != "" && (signals.Limits{}).Name("Agent", o.Agent) != nil:
		return wrong("Agent", fmt.Sprintf("%q", o.Agent), "not a name")
	case o.Storage.Replicas < 1 || o.Storage.Replicas > 5:
		return wrong("Storage.Replicas", o.Storage.Replicas, "not from 1 to 5")
	case len(o.Key) != 0 && len(o.Key) != ed25519.PrivateKeySize:
		return wrong("Key", fmt.Sprint(len(o.Key), " bytes"), "not an Ed25519 key")
	case o.Storage.Window < MinWindow:
		return wrong("Storage.Window", o.Storage.Window, "under 100ms")
	case o.LeaseTTL < MinLease:
		return wrong("LeaseTTL", o.LeaseTTL, "under 1s")
	case o.Remember < 8192:
		return wrong("Remember", o.Remember, "under 8192")
	case o.Bus.History > (o.Remember-4096)/2:
		return wrong("Bus.History", o.Bus.History, fmt.Sprintf("over %d, beyond which ids are not recognised", (o.Remember-4096)/2))
	case o.Bus.Sequencer != nil:
		return wrong("Bus.Sequencer", "set", "the log is the sequencer")
	case o.Storage.MaxSignals < 0 || o.Storage.MaxBytes < 0 || o.Storage.MaxAge < 0 || o.Compare < 0:
		return wrong("Storage or Compare", "negative", "not a limit")
	}
	return nil
}

// Redacted returns URLs of servers, with commas between, without the logins in them, which
// may be tokens or have passwords.
func Redacted(urls string) string {
	all := strings.Split(urls, ",")
	for i, one := range all {
		at := strings.LastIndex(one, "@")
		if at < 0 && parses(one) {
			continue
		}
		scheme, _, has := strings.Cut(one, "://")
		all[i] = "xxxxx"
		if at >= 0 {
			all[i] += one[at:]
		}
		if has {
			all[i] = scheme + "://" + all[i]
		}
	}
	return strings.Join(all, ",")
}

// parses reports whether a server's URL, or its address alone, is one. A login with a comma or a slash
// that is not escaped makes parts that are none.
func parses(one string) bool {
	if scheme, _, has := strings.Cut(one, "://"); !has || scheme == "" {
		one = "nats://" + strings.TrimPrefix(one, "://")
	}
	_, err := url.Parse(strings.TrimSpace(one))
	return err == nil
}

// areServers reports whether a text has URLs that the client knows, which may be without a
// scheme, with commas between.
func areServers(urls string) bool {
	for one := range strings.SplitSeq(urls, ",") {
		scheme, _, has := strings.Cut(strings.TrimSpace(one), "://")
		if has && !slices.Contains([]string{"nats", "tls", "ws", "wss"}, scheme) || scheme == "" || !parses(one) {
			return false
		}
	}
	return true
}

// The least [Storage].Window that servers allow, and the least [Options].LeaseTTL.
const (
	MinWindow = 100 * time.Millisecond
	MinLease  = time.Second
)
