package journal

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A scanner reads the frames of a file and checks them: checksums, order and
// chain. It reads no further than end, which may advance.
type scanner struct {
	r     io.ReaderAt
	path  string
	head  header
	pos   int64 // of the next frame
	began int64 // where the record that was read last begins
	end   int64
	whole bool   // end is the end of a frame, so nothing can be torn
	seq   uint64 // of the previous record
	last  hash   // its chain
	state []byte // of the dropped records
	// sealed is where the last seal ends; 0: there was none
	sealed int64
	// synced is up to where the last mark says that the disk has everything
	synced int64

	window []byte // data of r from windowAt on; never reused, because records share it
	at     int64

	bodies *bodies
	recent hash   // the large body that was read last
	body   []byte // its content
}

// windowSize is the size of a read.
const windowSize = 1 << 18

// errShort says that the last frame is incomplete.
var errShort = errors.New("journal: the last record is not whole")

// newScanner reads the header and the state. It returns errShort for a file that
// is shorter than a header. A file with a state had all of it before it got its
// name, so a state that is not whole is damage.
func newScanner(r io.ReaderAt, path string, end int64) (*scanner, error) {
	s := &scanner{r: r, path: path, end: end, bodies: newBodies()}
	data, err := s.view(0, headerSize)
	if err != nil {
		return nil, err
	}
	if s.head, err = parseHeader(data); err != nil {
		return nil, named(err, path)
	}
	s.pos, s.seq, s.last = headerSize, s.head.through, s.head.chain
	if s.head.state < 0 || s.head.state > end-headerSize {
		return nil, s.corrupt("the state of the dropped records is not whole")
	}
	if s.state, err = s.view(headerSize, s.head.state); err != nil {
		return nil, err
	}
	if s.head.through > 0 && s.head.link(s.state) != s.head.chain {
		return nil, s.corrupt("the state of the dropped records was changed")
	}
	s.pos = s.head.size()
	return s, nil
}

func named(err error, path string) error {
	var format *FormatError
	var corrupt *CorruptError
	switch {
	case errors.As(err, &format):
		format.Path = path
	case errors.As(err, &corrupt):
		corrupt.Path = path
	}
	return err
}

// view returns n bytes at an offset, or errShort if there are fewer.
func (s *scanner) view(offset, n int64) ([]byte, error) {
	if n > s.end-offset {
		return nil, errShort
	}
	if offset < s.at || offset+n > s.at+int64(len(s.window)) {
		window := make([]byte, min(max(n, windowSize), s.end-offset))
		if _, err := s.r.ReadAt(window, offset); err != nil {
			return nil, fmt.Errorf("journal: reading %s: %w", s.path, err)
		}
		s.window, s.at = window, offset
	}
	start := offset - s.at
	return s.window[start : start+n : start+n], nil
}

// errBad describes what is wrong with a frame, before it is known whether the
// frame is the last one.
type errBad string

func (e errBad) Error() string { return "journal: " + string(e) }

// check returns the frame at an offset and its data if their checksums are
// right.
func (s *scanner) check(offset int64) (f frame, fixed, data []byte, err error) {
	if fixed, err = s.view(offset, frameSize); err != nil {
		return f, nil, nil, err
	}
	seed := s.head.seed(offset)
	f, ok := parseFrame(seed, fixed)
	if !ok {
		return f, nil, nil, errBad("the checksum of its fixed part is wrong")
	}
	if data, err = s.view(offset+frameSize, f.size()); err != nil {
		return f, nil, nil, err
	}
	if crc32.Update(seed, castagnoli, data) != f.bodySum {
		return f, nil, nil, errBad("the checksum of its content is wrong")
	}
	return f, fixed, data, nil
}

// next returns the next record. It returns io.EOF at the end, errShort if what
// follows may be what a crash left of the last writes, in which case the position
// does not change, and a [*CorruptError] for any other damage.
func (s *scanner) next() (Record, error) {
	for {
		if s.pos == s.end {
			return Record{}, io.EOF
		}
		f, fixed, data, err := s.check(s.pos)
		if err != nil {
			return Record{}, s.judge(err, f.size())
		}
		r, err := s.take(&f, fixed, data)
		if err != nil {
			return Record{}, err
		}
		if f.synced {
			s.synced = s.pos
		}
		s.began = s.pos
		s.pos += frameSize + f.size()
		if f.kind == typeSeal {
			s.sealed = s.pos
		}
		if f.isRecord() {
			return r, nil
		}
	}
}

// judge distinguishes a torn end from damage, in a frame of which size bytes of
// content are known. What was written since the last sync may reach the disk in
// any order, so whole frames may follow a torn one; but none that was written when
// what is before it was on the disk, and none in another place than it was written
// to. Nor can a frame be torn that the disk has all of.
func (s *scanner) judge(found error, size int64) error {
	switch {
	case !isContent(found):
		return found
	case s.whole:
		return s.corrupt(reason(found))
	}
	proof, err := s.findProof()
	switch {
	case err != nil:
		return err
	case proof != "":
		return s.corrupt(reason(found) + ", " + proof)
	case errors.Is(found, errShort):
		return errShort
	}
	lost, err := s.mayBeLost(s.pos + frameSize + size)
	switch {
	case err != nil:
		return err
	case !lost:
		return s.corrupt(reason(found) + ", though the disk has all of it")
	}
	return errShort
}

// sectorSize is the size of the smallest part of a file that a disk has or does
// not have.
const sectorSize = 512

// mayBeLost reports whether the disk may not have a sector between the position and
// to. File systems show zeros there, from the end of what was written before; a
// sector that does not end in one was written whole.
func (s *scanner) mayBeLost(to int64) (bool, error) {
	for sector := s.pos / sectorSize; sector*sectorSize < to; sector++ {
		end := min((sector+1)*sectorSize, s.end)
		last, err := s.view(end-1, 1)
		if err != nil || last[0] == 0 {
			return true, err
		}
	}
	return false, nil
}

// findProof looks behind the position for a frame that proves that what is wrong
// there is damage, and says why it does; "": there is none.
func (s *scanner) findProof() (string, error) {
	for offset := s.pos; offset+frameSize <= s.end; {
		window, err := s.view(offset, min(windowSize, s.end-offset))
		if err != nil {
			return "", err
		}
		last := len(window) - frameSize
		for i := 0; i <= last; i++ {
			next := bytes.IndexByte(window[i+35:], 0) // a byte that is zero in every frame; to parse at every byte takes minutes
			if i += next; next < 0 || i > last {
				break
			}
			if proof, err := s.prove(offset+int64(i), window[i:i+frameSize]); proof != "" || err != nil {
				return proof, err
			}
		}
		offset += int64(last) + 1
	}
	return "", nil
}

// prove says why what is at an offset proves damage before it, if it does.
func (s *scanner) prove(at int64, fixed []byte) (string, error) {
	f, ok := decodeFrame(fixed)
	if !ok || !f.isRecord() && f.kind < typeLarge || f.head > maxPart || f.body > maxPart {
		return "", nil
	}
	seed := seedOf(fixed)
	switch {
	case seed == s.head.seed(at) && f.synced && at > s.pos:
		return fmt.Sprintf("though it was right when the record at byte %d was written, so it was changed since: restore a copy", at), nil
	case seed == s.head.seed(at) || !s.isNews(&f, at, seed):
		return "", nil
	}
	data, err := s.view(at+frameSize, f.size())
	if err != nil || crc32.Update(seed, castagnoli, data) != f.bodySum {
		return "", otherThanShort(err)
	}
	return fmt.Sprintf("and what is at byte %d was written to another place", at), nil
}

// isNews reports whether a frame that is not in its place is not part of a copy of
// the file, which a record may have: the content of a torn record has no frames
// that begin in its fixed part, nor any of later records, nor seals after those, nor
// another seal than the last one.
func (s *scanner) isNews(f *frame, at int64, seed uint32) bool {
	return at < s.pos+frameSize || f.kind != typeLarge && f.seq > s.seq ||
		f.kind == typeSeal && f.seq == s.seq && seed != s.head.seed(s.sealed-frameSize)
}

func otherThanShort(err error) error {
	if errors.Is(err, errShort) {
		return nil
	}
	return err
}

// isContent reports whether an error concerns the content read, not the
// reading.
func isContent(err error) bool {
	bad := errBad("")
	return errors.As(err, &bad) || errors.Is(err, errShort)
}

func reason(err error) string {
	if bad := errBad(""); errors.As(err, &bad) {
		return string(bad)
	}
	return "it is not whole"
}

func (s *scanner) corrupt(problem string) error {
	return &CorruptError{s.path, s.pos, s.seq, problem}
}

// take checks and accepts a frame whose checksums are right.
func (s *scanner) take(f *frame, fixed, data []byte) (r Record, err error) {
	switch {
	case f.kind == typeLarge:
		s.bodies.add(f.chain, span{s.pos + frameSize, len(data)})
		return r, nil
	case f.kind == typeSeal && f.synced && f.seq == s.seq && f.chain == s.last:
		return r, nil
	case !f.isRecord():
		return r, s.corrupt(fmt.Sprintf("type %d is unknown here", f.kind))
	case f.seq != s.seq+1:
		return r, s.corrupt(fmt.Sprintf("record %d follows record %d", f.seq, s.seq))
	case f.large && f.body != sha256.Size:
		return r, s.corrupt("the hash of its body is not whole")
	}
	chain := link(s.last, fixed, data)
	if chain != f.chain {
		return r, s.corrupt("the chain is broken: this record, or one before it, was changed")
	}
	if r, err = s.record(f, data); err == nil {
		s.seq, s.last = f.seq, chain
	}
	return r, err
}

// record returns the record of a frame with its body.
func (s *scanner) record(f *frame, data []byte) (r Record, err error) {
	r = Record{Seq: f.seq, Type: Type(f.kind), Time: fromNanos(f.time), Head: data[:f.head:f.head], Body: data[f.head:]}
	if f.large {
		if r.Body, err = s.largeBody(hash(r.Body)); err != nil {
			return Record{}, err
		}
	}
	return r, nil
}

// recordAt returns the record with a sequence number if its frame is at an offset. It does not check the
// chain before it.
func (s *scanner) recordAt(offset int64, seq uint64) (Record, error) {
	s.pos, s.seq = offset, seq-1
	f, _, data, err := s.check(offset)
	switch {
	case isContent(err):
		return Record{}, s.corrupt(reason(err))
	case err != nil:
		return Record{}, err
	case !f.isRecord() || f.seq != seq || f.large && f.body != sha256.Size:
		return Record{}, s.corrupt("it is not the record that was there")
	}
	return s.record(&f, data)
}

// largeBody returns a body that is stored in a frame of its own.
func (s *scanner) largeBody(name hash) ([]byte, error) {
	if s.recent == name && s.body != nil {
		return s.body, nil
	}
	at, ok := s.bodies.find(name)
	if !ok {
		return nil, s.corrupt("its body is not in the file")
	}
	body := make([]byte, at.size)
	if _, err := s.r.ReadAt(body, at.offset); err != nil {
		return nil, fmt.Errorf("journal: reading %s: %w", s.path, err)
	}
	if sha256.Sum256(body) != name {
		return nil, s.corrupt(fmt.Sprintf("its body at byte %d was changed", at.offset))
	}
	s.recent, s.body = name, body
	return body, nil
}
