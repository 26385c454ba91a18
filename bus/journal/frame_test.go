package journal

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestALargeBodyIsStoredOnce(t *testing.T) {
	d := newMemDisk()
	j := openOn(t, d, Options{})
	body := bytes.Repeat([]byte("m"), 1<<20)
	for range 50 {
		must(t, second(j.Append(Record{Type: 1, Body: body})))
	}
	must(t, j.Drop(1, nil))
	must(t, j.Close())
	d.restart()
	j = openOn(t, d, Options{})
	must(t, second(j.Append(Record{Type: 1, Body: body})))
	if size := len(d.files[where].cache); size > len(body)+51*200 {
		t.Errorf("51 records with one body of %d bytes take %d", len(body), size)
	}
}

func TestUnknownVersionAndOtherFilesAreRefused(t *testing.T) {
	content, _ := smallLog(t, 2)
	newer := bytes.Clone(content)
	newer[8] = 9
	older := append([]byte("swarmbus\x01\x00\x00\x00"), make([]byte, 48)...) // shorter than a header is now
	for text, content := range map[string][]byte{
		"version 9, this program reads version 2": newer,
		"version 1, this program reads version 2": older,
		"not a journal": []byte(`{"seq":1}`),
	} {
		d := diskWith(where, content)
		_, err := Open(where, &Options{disk: d})
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %s", err, text)
		}
		if !bytes.Equal(d.files[where].cache, content) {
			t.Errorf("%s: the file was touched", text)
		}
	}
}
