package fstio

import (
	"fmt"
	"io"
	"os"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

const (
	defaultRatio = 64
	defaultBytes = 16 << 20
)

// Open opens a file for one of the functions that read, decompressed if its name ends in
// .gz. At most limit bytes are read from it. A limit ≤ 0 stands for the one that functions for
// a file by name have: none for a plain file, and for a file in .gz 64 times its size or
// 16 MiB, whichever is more. A text of a machine is rarely a twentieth of its size when it is
// compressed, but a file can be made that is a thousandth.
//
// Reading on after the limit is an error that wraps semiring.ErrLimit. Open fails as os.Open
// does, and for a file that is not compressed as its name says.
func Open(name string, limit int64) (io.ReadCloser, error) {
	f, err := text.Open(name)
	if err != nil {
		return nil, nested.Errorf("fstio: %w", err)
	}
	if limit <= 0 {
		if !strings.HasSuffix(name, ".gz") {
			return f, nil
		}
		limit = defaultBytes
		if info, err := os.Stat(name); err == nil {
			limit = max(limit, defaultRatio*info.Size())
		}
	}
	return &limited{ReadCloser: f, limit: limit, left: limit}, nil
}

// limited is a file of which no more than limit bytes are read.
type limited struct {
	io.ReadCloser
	limit, left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1] // one more, to find out whether there are more
	}
	n, err := l.ReadCloser.Read(p)
	if l.left -= int64(n); l.left < 0 {
		l.left = 0
		return n - 1, fmt.Errorf("%w: more than %d bytes after decompression; if the file is right, read from fstio.Open with a greater limit", semiring.ErrLimit, l.limit)
	}
	return n, err
}
