package natsflags

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
)

// limits adds what --keep says of a log.
func (f *Flags) limits(s *natsbus.Storage) error {
	if f.Snapshots < 0 {
		return cli.Usage(fmt.Errorf("--snapshots is %v: not a time between snapshots", f.Snapshots))
	}
	for _, text := range f.keep {
		age, notAge := time.ParseDuration(text)
		number, notNumber := strconv.ParseInt(text, 10, 64)
		size := bytesOf(text)
		switch {
		case notNumber == nil && number > 0:
			s.MaxSignals = number
		case notAge == nil && age > 0:
			s.MaxAge = age
		case size > 0:
			s.MaxBytes = size
		default:
			return cli.Usage(fmt.Errorf("--keep is %q: not an age such as 720h, a size such as 10GB, or a number of messages", text))
		}
	}
	return nil
}

// bytesOf returns the bytes of a size such as 10GB or 512MiB; 0: it is none.
func bytesOf(text string) int64 {
	number := strings.TrimRight(text, "kKMGTiB")
	n, err := strconv.ParseInt(number, 10, 64)
	factor := map[string]int64{"kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}[text[len(number):]]
	if err != nil || n <= 0 || factor == 0 || n > 1<<62/factor {
		return 0
	}
	return n * factor
}

// Store stores snapshots of a log from time to time, if the flags say so, and a last one when
// the caller stops it. What fails is said on w.
func (f *Flags) Store(log *natsbus.Log, w io.Writer) (stop func()) {
	if f.Snapshots == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	snapshot := func(ctx context.Context) {
		if err := log.Snapshot(ctx); err != nil && log.Err() == nil && ctx.Err() == nil {
			fmt.Fprintln(w, f.About(), "no snapshot was stored:", text.Printable(err.Error()))
		}
	}
	go func() {
		defer close(done)
		tick := time.NewTicker(f.Snapshots)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				snapshot(ctx)
			case <-log.Done():
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
		last, end := context.WithTimeout(context.Background(), 10*time.Second)
		defer end()
		snapshot(last)
	}
}

// flagOf has the flags of the fields that errors and warnings of the library name.
var flagOf = strings.NewReplacer(
	"invalid option: URL is", "--nats is", "invalid option: Stream is", "--stream is", "invalid option: Domain is", "--domain is",
	"invalid option: Agent is", "--as is", "invalid option: Storage.Replicas is", "--replicas is",
	"Storage.Monitor", "--monitor", "Options.Domain", "--domain", "Options.Stream", "--stream", "Options.Over", "--snapshots",
	"Storage.MaxSignals", "--keep", "Storage.MaxBytes", "--keep", "Storage.MaxAge", "--keep",
	"Options.Keys", "--trust", "Options.Key", "--sign",
	"that fits, and Options.Partial is not set", "that fits, as processes with --snapshots store it",
)

// A flagError is an error of the library, whose text names flags.
type flagError struct{ error }

// byFlags returns an error that names flags for fields.
func byFlags(err error) error {
	if err == nil {
		return nil
	}
	return flagError{err}
}

func (e flagError) Error() string { return flagOf.Replace(e.error.Error()) }

// Unwrap returns the error of the library.
func (e flagError) Unwrap() error { return e.error }
