// Package digest writes the content of values to a hash, which then identifies
// them.
package digest

import (
	"encoding/binary"
	"io"
	"math"
)

// To writes to a hash.
type To struct{ io.Writer }

// Ints writes integers.
func (d To) Ints(v ...int) {
	for _, x := range v {
		binary.Write(d, binary.LittleEndian, int64(x))
	}
}

// Floats writes the bits of numbers.
func (d To) Floats(v ...float64) {
	const block = 512
	b := make([]byte, 0, 8*min(block, len(v)))
	for ; len(v) > 0; v = v[min(block, len(v)):] {
		b = b[:0]
		for _, x := range v[:min(block, len(v))] {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
		d.Write(b)
	}
}

// Slice writes the length n of v, and v in the format of package binary.
func (d To) Slice(v any, n int) {
	d.Ints(n)
	binary.Write(d, binary.LittleEndian, v)
}
