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

// Open opens a file for one of the reading functions, decompressed if its name ends in .gz. At most
// limit bytes are read from it. A limit ≤ 0 stands for the default of functions for a named file:
// unlimited for a plain file, and for a file in .gz 64 times its size or 16 MiB, whichever is more.
// Compression rarely shrinks the text of a machine to a twentieth, but a malicious file can shrink
// to a thousandth.
//
// Reading beyond the limit returns an error that wraps semiring.ErrLimit. Open fails like os.Open,
// and for a file in .gz that is not compressed.
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

// limited is a file from which at most limit bytes are read.
type limited struct {
	io.ReadCloser
	limit, left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1] // one more byte, to detect a longer file
	}
	n, err := l.ReadCloser.Read(p)
	if l.left -= int64(n); l.left < 0 {
		l.left = 0
		return n - 1, fmt.Errorf("%w: more than %d bytes after decompression; if the file is right, read from fstio.Open with a greater limit", semiring.ErrLimit, l.limit)
	}
	return n, err
}
