package privacy

import (
	"crypto/rand"
	"encoding/binary"
	"io"
	random "math/rand/v2"

	"example.org/pathsum/internal/nested"
)

// Source is the source of a mechanism's randomness. A nil *Source is crypto/rand.Reader. Only its
// records count as private, and only it may be used concurrently.
type Source struct {
	reader io.Reader
	source random.Source
	buffer [64 * 8]byte
}

// FromReader returns a source that reads random bytes from r, which may be reproducible. Records
// are not marked as private, because this package cannot vouch for r.
func FromReader(r io.Reader) *Source { return &Source{reader: r} }

// NotPrivate returns a source for reproducible experiments. Its generators are predictable from a
// few of their outputs, so records drawn from them give no protection. They are marked as not
// private.
func NotPrivate(source random.Source) *Source { return &Source{source: source} }

// private reports whether s is known to be cryptographically secure.
func (s *Source) private() bool { return s == nil }

// fill fills words with random bits. The error wraps the error of the reader.
func (s *Source) fill(words []uint64) error {
	if s == nil {
		s = FromReader(rand.Reader)
	}
	if s.source != nil {
		for i := range words {
			words[i] = s.source.Uint64()
		}
		return nil
	}
	for len(words) > 0 {
		n := min(len(words), len(s.buffer)/8)
		if _, err := io.ReadFull(s.reader, s.buffer[:8*n]); err != nil {
			return nested.Errorf("privacy: no randomness: %w", err)
		}
		for i := range n {
			words[i] = binary.LittleEndian.Uint64(s.buffer[8*i:])
		}
		words = words[n:]
	}
	return nil
}
