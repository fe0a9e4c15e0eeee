package text

import (
	"bytes"
	"io"
	"strings"
)

var (
	mark         = []byte("\ufeff")
	littleEndian = []byte{0xff, 0xfe}
	bigEndian    = []byte{0xfe, 0xff}
)

// Reader reads text without a byte order mark and with line ends "\n".
type Reader struct {
	r       io.Reader
	started bool
	pending [len("\ufeff")]byte // read to look for a mark and not returned yet
	size    int                 // the number of bytes of pending
	err     error               // the error that was read with pending
	cr      bool                // the last byte was a carriage return, returned as "\n"
}

// NewReader returns a reader of the text of r. It drops a byte order mark at the beginning, and
// returns "\n" for each line end "\r\n" or "\r". All other bytes are returned unchanged and
// without a check for UTF-8, except that a mark of UTF-16 is [ErrUTF16]. Errors of r are
// returned unchanged. It does not read ahead: a Read reads from r once, so that a reader of a
// terminal gets each line as soon as it is entered.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Plain returns s without a byte order mark and with the line ends of [NewReader].
func Plain(s string) string {
	s = strings.TrimPrefix(s, string(mark))
	if !strings.Contains(s, "\r") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for {
		line, rest, more := strings.Cut(s, "\r")
		b.WriteString(line)
		if !more {
			return b.String()
		}
		b.WriteByte('\n')
		s = strings.TrimPrefix(rest, "\n")
	}
}

// Read implements io.Reader.
func (t *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if !t.started {
		t.start()
	}
	for range 100 { // a reader that repeatedly returns no bytes and no error is broken
		n, err := t.fill(p)
		if n = t.lines(p[:n]); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// fill reads bytes of the file, unchanged.
func (t *Reader) fill(p []byte) (int, error) {
	if t.size > 0 {
		n := copy(p, t.pending[:t.size])
		t.size = copy(t.pending[:], t.pending[n:t.size])
		return n, nil
	}
	if t.err != nil {
		return 0, t.err
	}
	return t.r.Read(p)
}

// start looks for a byte order mark. It reads only as many bytes as it needs to detect or
// exclude one.
func (t *Reader) start() {
	t.started = true
	for t.err == nil && t.size < len(mark) {
		head := t.pending[:t.size]
		if !bytes.HasPrefix(mark, head) && !bytes.HasPrefix(littleEndian, head) && !bytes.HasPrefix(bigEndian, head) {
			return
		}
		if t.isUTF16() {
			break
		}
		n, err := t.r.Read(t.pending[t.size : t.size+1])
		t.size, t.err = t.size+n, err
	}
	switch {
	case bytes.Equal(t.pending[:t.size], mark):
		t.size = 0
	case t.isUTF16():
		t.size, t.err = 0, ErrUTF16
	}
}

func (t *Reader) isUTF16() bool {
	head := t.pending[:t.size]
	return bytes.Equal(head, littleEndian) || bytes.Equal(head, bigEndian)
}

// lines replaces the line ends of p in place and returns the number of remaining bytes.
func (t *Reader) lines(p []byte) int {
	n, read := 0, 0
	for read < len(p) {
		if t.cr && p[read] == '\n' {
			t.cr = false
			read++
			continue
		}
		end := len(p)
		i := bytes.IndexByte(p[read:], '\r')
		if t.cr = i >= 0; t.cr {
			end = read + i + 1
			p[end-1] = '\n'
		}
		if n == read {
			n = end
		} else {
			n += copy(p[n:], p[read:end])
		}
		read = end
	}
	return n
}
