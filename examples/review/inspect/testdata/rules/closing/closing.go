// Package closing opens things.
package closing

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
)

func leaks(name string) (string, error) {
	f, err := os.Open(name) // want unclosed
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(f)
	return string(data), err
}

func leaksBody(c *http.Client, url string) ([]byte, error) {
	resp, err := c.Get(url) // want unclosed
	if err != nil {
		return nil, err
	}
	return io.ReadAll(resp.Body)
}

func closes(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func closesBody(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func handsOn(name string) (*os.File, error) {
	f, err := os.Open(name)
	return f, err
}

func wraps(name string) (*bufio.Reader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	return bufio.NewReader(f), nil
}

func answer(ctx context.Context, f func() int) int {
	c := make(chan int)
	go func() { c <- f() }() // want abandoned-send
	select {
	case n := <-c:
		return n
	case <-ctx.Done():
		return 0
	}
}

func buffered(ctx context.Context, f func() int) int {
	c := make(chan int, 1)
	go func() { c <- f() }()
	select {
	case n := <-c:
		return n
	case <-ctx.Done():
		return 0
	}
}

func waits(f func() int) int {
	c := make(chan int)
	go func() { c <- f() }()
	return <-c
}
