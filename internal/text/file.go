package text

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf16"
)

// Open opens a file that a user names to read it; "-" is standard input, which is never closed.
func Open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	return os.Open(name)
}

// UTF8 returns a reader of a text without its byte order mark, which may be one of UTF-16.
func UTF8(r io.Reader) io.Reader {
	in := bufio.NewReader(r)
	mark, _ := in.Peek(3) // without them it has none
	var order binary.ByteOrder
	switch {
	case string(mark) == "\ufeff":
		_, _ = in.Discard(len(mark)) // they are there
		return in
	case bytes.HasPrefix(mark, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(mark, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return in
	}
	all, err := io.ReadAll(in)
	var units []uint16
	for ; len(all) > 1; all = all[2:] {
		units = append(units, order.Uint16(all))
	}
	whole := io.Reader(strings.NewReader(string(utf16.Decode(units[1:]))))
	if err != nil {
		whole = io.MultiReader(whole, failing{err})
	}
	return whole
}

// A failing reader has nothing but an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// ReadFile reads a text of at most so many bytes as [Open] and [UTF8] do. Of a larger one it reads no
// more than it needs to refuse it.
func ReadFile(name string, most int64) ([]byte, error) {
	file, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(UTF8(io.LimitReader(file, 2*most+4)), most+1))
	if err == nil && int64(len(text)) > most {
		return nil, fmt.Errorf("%s has more than %d bytes", name, most)
	}
	return text, err
}
