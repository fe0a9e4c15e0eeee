package matrix

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/memtest"
)

// npy returns a file of NumPy in a version of the format, with a header that is not padded.
func npy(version byte, header string, data []byte) string {
	b := append([]byte(magic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(header)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	}
	return string(b) + header + string(data)
}

// TestNPY: all versions, types, byte orders and orders of the numbers mean the same matrix.
func TestNPY(t *testing.T) {
	want := &Matrix{Frames: 2, Symbols: 3, Numbers: []float64{1, -2, .5, 0.25, math.Inf(-1), 65504}}
	halves := []uint16{0x3c00, 0xc000, 0x3800, 0x3400, 0xfc00, 0x7bff} // as NumPy has them
	for version := byte(1); version <= 3; version++ {
		for _, size := range []int{2, 4, 8} {
			for name, order := range map[string]binary.AppendByteOrder{"<": binary.LittleEndian, ">": binary.BigEndian} {
				for _, columns := range []string{"False", "True"} {
					for _, shape := range []string{"(2, 3)", "(2,3,)", "(1, 2, 3)", "(1,1,2,3)", "(2L, 3L)"} {
						var data []byte
						for i := range want.Numbers {
							k := i
							if columns == "True" {
								k = i%2*3 + i/2 // down the columns
							}
							switch size {
							case 2:
								data = order.AppendUint16(data, halves[k])
							case 4:
								data = order.AppendUint32(data, math.Float32bits(float32(want.Numbers[k])))
							case 8:
								data = order.AppendUint64(data, math.Float64bits(want.Numbers[k]))
							}
						}
						header := fmt.Sprintf("{'descr': '%sf%d', 'fortran_order': %s, 'shape': %s, }   \n", name, size, columns, shape)
						got, err := Read(strings.NewReader(npy(version, header, data)), "x.npy")
						if err != nil || !same(got, want) {
							t.Errorf("version %d, %s: %v, %v", version, header, got, err)
						}
					}
				}
			}
		}
	}
	// Keys in another order, as NumPy never writes them but its format allows.
	header := `{"shape":(1,1),"fortran_order":False,"descr":"<f8"}`
	got, err := ReadNPY(strings.NewReader(npy(2, header, make([]byte, 8))), "x")
	if err != nil || !same(got, &Matrix{1, 1, []float64{0}}) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestWritten: WriteNPY writes the bytes that numpy.save writes.
func TestWritten(t *testing.T) {
	m := &Matrix{Frames: 1, Symbols: 2, Numbers: []float64{1, -.5}}
	var b bytes.Buffer
	if err := m.WriteNPY(&b); err != nil {
		t.Fatal(err)
	}
	header := "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }"
	want := "\x93NUMPY\x01\x00\x76\x00" + header + strings.Repeat(" ", 118-len(header)-1) + "\n" +
		"\x00\x00\x00\x00\x00\x00\xf0\x3f" + "\x00\x00\x00\x00\x00\x00\xe0\xbf"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// TestHalf: the 65536 numbers of 16 bits are in order, and the greatest, the least and the step
// from 1 are those of IEEE 754.
func TestHalf(t *testing.T) {
	for b := range uint16(0x7c00) {
		x, next := half(b), half(b+1)
		if !(x < next) || half(b|0x8000) != -x || math.Signbit(half(b|0x8000)) != true {
			t.Fatalf("%#x: %v, then %v, negative %v", b, x, next, half(b|0x8000))
		}
	}
	for b, want := range map[uint16]float64{0: 0, 1: 0x1p-24, 0x3ff: 0x1.ff8p-15, 0x400: 0x1p-14, 0x3c00: 1, 0x3c01: 1 + 0x1p-10, 0x7bff: 65504, 0x7c00: math.Inf(1)} {
		if got := half(b); got != want {
			t.Errorf("%#x: %v, want %v", b, got, want)
		}
	}
	if !math.IsNaN(half(0x7c01)) || !math.IsNaN(half(0xffff)) {
		t.Error("no NaN")
	}
}

// TestPromises: a header that promises more than the file holds does not make a reader allocate it.
func TestPromises(t *testing.T) {
	for _, shape := range []string{"(1000000000, 1000)", "(1, 9000000000)", "(1152921504606846975, 1)"} {
		in := npy(1, "{'descr': '<f8', 'fortran_order': True, 'shape': "+shape+"}", make([]byte, 80))
		memtest.Bound(t, 8000, 32, func() {
			if _, err := ReadNPY(strings.NewReader(in), "x"); err == nil || !strings.Contains(err.Error(), "ends too early") {
				t.Errorf("%s: %v", shape, err)
			}
		})
	}
}

// TestReadError: an error of reading is passed on, and no file is taken for a whole one.
func TestReadError(t *testing.T) {
	var b bytes.Buffer
	if err := (&Matrix{2, 2, []float64{1, 2, 3, 4}}).WriteNPY(&b); err != nil {
		t.Fatal(err)
	}
	for _, whole := range []string{b.String(), "[[1, 2], [3, 4]]"} {
		for n := range len(whole) {
			if m, err := Read(strings.NewReader(whole[:n]), "x"); err == nil {
				t.Fatalf("%d of %d bytes: %v", n, len(whole), m)
			}
			in := io.MultiReader(strings.NewReader(whole[:n]), failing{})
			if _, err := Read(in, "x"); err == nil || !strings.Contains(err.Error(), "the cable") {
				t.Fatalf("an error after %d bytes: %v", n, err)
			}
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, fmt.Errorf("the cable") }

// What readers may allocate for each byte, as the package comment says, and besides.
const perByte, besides = 32, 200_000 / 32

// FuzzRead: whatever is read can be written in both forms and is read again as it was, and no
// file makes a reader allocate more than the package comment says.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"", "1", "1;2;\n3;4;\n", "1,2\n\n", "1 2\n#\n3 4", "\t1\t2", "[[1,2],[3,4]]", "[[-Infinity]]", "[]", "[[]]", "[[1],[2,3]]",
		npy(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2)}", make([]byte, 8)),
		npy(2, "{'descr': '>f2', 'fortran_order': False, 'shape': (1, 2, 2), }", make([]byte, 8)),
		npy(3, "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 2000000)}", make([]byte, 8)),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var m *Matrix
		var err error
		memtest.Bound(t, len(in)+besides, perByte, func() { m, err = Read(bytes.NewReader(in), "x") })
		if err != nil {
			return
		}
		if m.Frames < 1 || m.Symbols < 1 || len(m.Numbers) != m.Frames*m.Symbols || len(m.Numbers) > len(in) {
			t.Fatalf("%d × %d, %d numbers", m.Frames, m.Symbols, len(m.Numbers))
		}
		var csv, npy bytes.Buffer
		if err := m.WriteCSV(&csv); err != nil {
			t.Fatal(err)
		}
		if err := m.WriteNPY(&npy); err != nil {
			t.Fatal(err)
		}
		for _, b := range []*bytes.Buffer{&csv, &npy} {
			if again, err := Read(b, "x"); err != nil || !same(m, again) {
				t.Errorf("%v became %v: %v", m, again, err)
			}
		}
	})
}

func TestTransposed(t *testing.T) {
	if got := transposed([]float64{1, 2, 3, 4, 5, 6}, 2, 3); !slices.Equal(got, []float64{1, 4, 2, 5, 3, 6}) {
		t.Error(got)
	}
}
