package watch

import (
	"fmt"
	"runtime"
	"strings"
)

// A Site is where a reader was made. Its name is looked up only when asked for:
// that takes longer than subscribing does.
type Site struct {
	callers [8]uintptr
	n       int
}

// Here returns where the caller was called.
func Here() *Site {
	s := new(Site)
	s.n = runtime.Callers(3, s.callers[:])
	return s
}

// String names the first caller outside package bus: its file and line.
func (s *Site) String() string {
	frames := runtime.CallersFrames(s.callers[:s.n])
	for {
		f, more := frames.Next()
		if !more || !strings.HasPrefix(f.Function, "github.com/swarmbus/swarmbus/bus.") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
}
