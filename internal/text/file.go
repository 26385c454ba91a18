package text

import (
	"fmt"
	"io"
	"os"
)

// ReadFile reads a file of at most so many bytes. Of a larger one it reads no more than it needs to
// refuse it.
func ReadFile(name string, most int64) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, fmt.Errorf("%s has more than %d bytes", name, most)
	}
	return text, err
}
