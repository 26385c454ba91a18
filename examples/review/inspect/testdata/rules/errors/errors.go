// Package errors loses errors.
package errors

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

func drops(data []byte, name string) (v int) {
	json.Unmarshal(data, &v)     // want dropped-error
	_ = json.Unmarshal(data, &v) // want dropped-error
	os.Remove(name)
	return v
}

func uses(r io.Reader, data []byte) int {
	n, _ := io.ReadFull(r, data)
	if err := json.Unmarshal(data[:n], &n); err != nil {
		return 0
	}
	return n
}

func swallows(f func()) {
	defer func() { recover() }() // want swallowed-panic
	f()
}

func looks(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	f()
	return nil
}

func loses(name string) error {
	_, err := os.Stat(name)
	if err != nil { // want lost-error
		return nil
	}
	return os.Chdir(name)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	if err != nil {
		return false
	}
	return true
}

func decides(name string) error {
	_, err := os.Stat(name)
	if err != nil {
		if os.IsNotExist(err) {
			return nil
		}
		return err
	}
	return os.Chdir(name)
}

func find(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func encode(r rune) []byte {
	b := make([]byte, utf8.UTFMax)
	utf8.EncodeRune(b, r)
	strings.TrimSpace("x")
	return b
}
