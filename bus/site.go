package bus

import (
	"fmt"
	"runtime"
	"strings"
)

// A site is where a reader was made. Its name is looked up when somebody asks:
// that takes longer than subscribing does.
type site struct {
	callers [8]uintptr
	n       int
}

// callSite returns where the caller was called.
func callSite() (s site) {
	s.n = runtime.Callers(3, s.callers[:])
	return s
}

// String names the first caller outside this package: its file and line.
func (s *site) String() string {
	frames := runtime.CallersFrames(s.callers[:s.n])
	for {
		f, more := frames.Next()
		if !more || !strings.HasPrefix(f.Function, "github.com/swarmbus/swarmbus/bus.") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
}
