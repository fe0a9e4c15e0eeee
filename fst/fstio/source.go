package fstio

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"example.org/pathsum/internal/nested"
)

// source reads binary data and tracks the offset. The first error is kept in err; reads after it
// return 0.
type source struct {
	r      *bufio.Reader
	file   string
	offset int64 // of the next byte
	err    error
	word   [8]byte
}

func newSource(r io.Reader, file string) *source {
	return &source{r: bufio.NewReader(r), file: file}
}

// fail keeps a ParseError about the bytes at an offset.
func (s *source) fail(offset int64, format string, args ...any) {
	if s.err == nil {
		s.err = &ParseError{File: s.file, Offset: offset, Err: malformed(format, args...)}
	}
}

// bytes returns the next n ≤ 8 bytes.
func (s *source) bytes(n int) []byte {
	b := s.word[:n]
	if s.err == nil {
		s.ended(io.ReadFull(s.r, b))
	}
	if s.err != nil {
		clear(b)
	}
	return b
}

// ended records the result of reading n bytes: the new offset, and an error.
func (s *source) ended(n int, err error) {
	s.offset += int64(n)
	switch {
	case err == nil:
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		s.fail(s.offset, "the data end too early")
	default:
		s.err = nested.Errorf("fstio: after byte %d of %s: %w", s.offset, cmp.Or(s.file, "the data"), err)
	}
}

func (s *source) int32() int32     { return int32(binary.LittleEndian.Uint32(s.bytes(4))) }
func (s *source) int64() int64     { return int64(binary.LittleEndian.Uint64(s.bytes(8))) }
func (s *source) float32() float64 { return float64(math.Float32frombits(uint32(s.int32()))) }
func (s *source) float64() float64 { return math.Float64frombits(uint64(s.int64())) }

// uintOf returns the little-endian number of up to 64 bits in b.
func uintOf(b []byte) uint64 {
	x := uint64(0)
	for i, c := range b {
		x |= uint64(c) << (8 * i)
	}
	return x
}

// text reads a string: its length and its bytes.
func (s *source) text() string {
	at := s.offset
	n := s.int32()
	if n < 0 {
		s.fail(at, "a string of %d bytes", n)
	}
	return string(s.data(int64(n)))
}

// believed is the maximum number of bytes that are allocated before they are read.
const believed = 4096

// data returns the next n bytes; after an error the result is undefined. Memory grows with the
// available data, not with n.
func (s *source) data(n int64) []byte {
	if s.err != nil {
		return nil
	}
	b := make([]byte, min(n, believed))
	s.ended(io.ReadFull(s.r, b))
	if n > believed && s.err == nil {
		rest := bytes.NewBuffer(b)
		read, err := io.CopyN(rest, s.r, n-believed)
		s.ended(int(read), err)
		b = rest.Bytes()
	}
	return b
}

// skip discards n bytes.
func (s *source) skip(n int) {
	if s.err == nil {
		s.ended(s.r.Discard(n))
	}
}

// pad moves to the next multiple of size, a power of 2, as counted from an offset.
func (s *source) pad(from int64, size int) { s.skip(int((from - s.offset) & int64(size-1))) }

// end reports whether the data end here.
func (s *source) end() bool {
	if s.err != nil {
		return true
	}
	_, err := s.r.Peek(1)
	if err != nil && !errors.Is(err, io.EOF) {
		s.ended(0, err)
	}
	return err != nil
}

// magic reads a magic number, which must be one of want.
func (s *source) magic(what string, want ...int32) int32 {
	at := s.offset
	if at == 0 && s.err == nil {
		head, err := s.r.Peek(magicSize)
		if err == nil || errors.Is(err, io.EOF) {
			if len(head) == magicSize && slices.Contains(want, int32(binary.LittleEndian.Uint32(head))) {
				return s.int32()
			}
			head, _ = s.r.Peek(min(s.r.Buffered(), textHead))
			s.fail(at, "this is not a %s%s", what, kind(head, anyOf(want)))
			return 0
		}
	}
	got := s.int32()
	if !slices.Contains(want, got) {
		s.fail(at, "this is not a %s: it begins with %d, want %s", what, got, anyOf(want))
	}
	return got
}

// textHead is the number of bytes that are examined to recognize a text.
const textHead = 64

func anyOf(numbers []int32) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", " or ")
}

// sink writes binary data. Errors come from the Flush of out.
type sink struct {
	out    *bufio.Writer
	offset int64 // of the next byte
}

func newSink(w io.Writer) *sink { return &sink{out: bufio.NewWriter(w)} }

func (s *sink) int32(x int32) {
	s.out.Write(binary.LittleEndian.AppendUint32(s.out.AvailableBuffer(), uint32(x)))
	s.offset += 4
}

func (s *sink) int64(x int64) {
	s.out.Write(binary.LittleEndian.AppendUint64(s.out.AvailableBuffer(), uint64(x)))
	s.offset += 8
}

// uint writes the lowest n ≤ 8 bytes of a number.
func (s *sink) uint(n int, x uint64) {
	s.out.Write(binary.LittleEndian.AppendUint64(s.out.AvailableBuffer(), x)[:n])
	s.offset += int64(n)
}

// pad writes zeros up to the next multiple of size, a power of 2, as counted from an
// offset.
func (s *sink) pad(from int64, size int) { s.uint(int((from-s.offset)&int64(size-1)), 0) }

func (s *sink) float32(x float64) { s.int32(int32(math.Float32bits(float32(x)))) }
func (s *sink) float64(x float64) { s.int64(int64(math.Float64bits(x))) }

func (s *sink) text(text string) {
	s.int32(int32(len(text)))
	s.out.WriteString(text)
	s.offset += int64(len(text))
}
