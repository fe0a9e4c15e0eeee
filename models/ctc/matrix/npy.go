package matrix

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// The parts of a file of NumPy, by its NEP 1.
const (
	magic     = "\x93NUMPY"
	maxHeader = 1 << 16 // bytes that describe the array; NumPy itself reads up to 10,000
	alignment = 64      // of the numbers
)

// ReadNPY reads a matrix from a file of NumPy (numpy.save): versions 1 to 3 of the format,
// numbers of 16, 32 or 64 bits with either end first, in the order of C or of Fortran. An array
// of more dimensions is a matrix if the first ones are 1, as in a batch of one utterance.
//
// The error is an *Error with the byte. It wraps ErrFormat for other arrays, an array without
// numbers, and a file that is shorter or longer than its header states, or else r's error. The time
// is proportional to the file.
func ReadNPY(r io.Reader, file string) (*Matrix, error) {
	a := array{r: bufio.NewReader(r)}
	m, err := a.read()
	if err != nil {
		return nil, &Error{File: file, Offset: a.offset, Err: err}
	}
	return m, nil
}

// array reads a file of NumPy.
type array struct {
	r      *bufio.Reader
	offset int64 // bytes that were read
	description
}

// description holds the header of a file.
type description struct {
	order    binary.ByteOrder
	size     int // of a number, in bytes
	columns  bool
	shape    []int
	has      [3]bool // descr, fortran_order, shape
	expected int     // numbers
}

func (a *array) read() (*Matrix, error) {
	header, err := a.header()
	if err != nil {
		return nil, err
	}
	if err := a.parse(header); err != nil {
		return nil, err
	}
	m, err := a.matrix()
	if err != nil {
		return nil, err
	}
	if m.Numbers, err = a.numbers(); err != nil {
		return nil, err
	}
	if _, err := a.r.ReadByte(); err == nil {
		return nil, fmt.Errorf("%w: there are bytes after the array, want one array in a file", ErrFormat)
	} else if err != io.EOF {
		return nil, err
	}
	if a.columns {
		m.Numbers = transposed(m.Numbers, m.Symbols, m.Frames)
	}
	return m, nil
}

// bytes fills b.
func (a *array) bytes(b []byte) error {
	n, err := io.ReadFull(a.r, b)
	a.offset += int64(n)
	if err != nil {
		return truncated(err)
	}
	return nil
}

// header returns the text that describes the array.
func (a *array) header() (string, error) {
	var b [len(magic) + 2]byte
	if err := a.bytes(b[:]); err != nil {
		return "", err
	}
	if string(b[:len(magic)]) != magic {
		a.offset = 0
		return "", fmt.Errorf("%w: the file does not begin with \\x93NUMPY, as arrays of NumPy do", ErrFormat)
	}
	width := 4
	switch major := b[len(magic)]; major {
	case 1:
		width = 2
	case 2, 3:
	default:
		return "", fmt.Errorf("%w: version %d of the format, want 1, 2 or 3", ErrFormat, major)
	}
	var length [4]byte
	if err := a.bytes(length[:width]); err != nil {
		return "", err
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxHeader {
		return "", fmt.Errorf("%w: a header of %d bytes, want at most %d", ErrFormat, n, maxHeader)
	}
	header := make([]byte, n)
	if err := a.bytes(header); err != nil {
		return "", err
	}
	return string(header), nil
}

// parse reads a header: {'descr': '<f4', 'fortran_order': False, 'shape': (371, 29), }. The offset
// of an error is the end of the header.
func (d *description) parse(header string) error {
	c := text.CursorOf(header, "")
	space := func() { c.Skip(func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }) }
	bad := func() error {
		if err := c.Err(); err != nil {
			return nested.Errorf("%w: header %s: %w", ErrFormat, text.Quote(header), errors.Unwrap(err))
		}
		return fmt.Errorf("%w: header %s, want one such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)}", ErrFormat, text.Quote(header))
	}
	if space(); !c.Accept('{') {
		return bad()
	}
	for {
		if space(); c.Accept('}') {
			break
		}
		key, ok := quoted(c)
		if space(); !ok || !c.Accept(':') {
			return bad()
		}
		space()
		if err := d.value(c, key); err != nil {
			return err
		} else if c.Err() != nil {
			return bad()
		}
		if space(); !c.Accept(',') && c.Peek() != '}' {
			return bad()
		}
	}
	if space(); c.Peek() != text.End || c.Err() != nil || d.has != [3]bool{true, true, true} {
		return bad()
	}
	return nil
}

// quoted reads a string in single or double quotation marks.
func quoted(c *text.Cursor) (string, bool) {
	mark := c.Peek()
	if mark != '\'' && mark != '"' {
		return "", false
	}
	c.Next()
	return c.Quoted(mark, maxHeader, false)
}

// value reads the value of a key.
func (d *description) value(c *text.Cursor, key string) error {
	switch key {
	case "descr":
		d.has[0] = true
		kind, ok := quoted(c)
		if !ok {
			return fmt.Errorf("%w: an array of records, want numbers of type float16, float32 or float64", ErrFormat)
		}
		return d.kind(kind)
	case "fortran_order":
		d.has[1] = true
		switch word := c.Word(maxNumber, func(r rune) bool { return r == ',' || r == '}' || r == ' ' }); word {
		case "True":
			d.columns = true
		case "False":
			d.columns = false
		default:
			return fmt.Errorf("%w: fortran_order is %s, want True or False", ErrFormat, text.Quote(word))
		}
		return nil
	case "shape":
		d.has[2] = true
		return d.dimensions(c)
	}
	return fmt.Errorf("%w: the header has a key %s, want descr, fortran_order and shape", ErrFormat, text.Quote(key))
}

// kind reads the type of numbers, such as <f4.
func (d *description) kind(s string) error {
	d.order = binary.LittleEndian
	kind, little := strings.CutPrefix(s, "<")
	if !little {
		var big bool
		if kind, big = strings.CutPrefix(s, ">"); big {
			d.order = binary.BigEndian
		}
	}
	switch kind {
	case "f2":
		d.size = 2
	case "f4":
		d.size = 4
	case "f8":
		d.size = 8
	default:
		return fmt.Errorf("%w: numbers of type %s, want float16, float32 or float64 (f2, f4, f8 after < or >)",
			ErrFormat, text.Quote(s))
	}
	return nil
}

// dimensions reads a shape, such as (371, 29).
func (d *description) dimensions(c *text.Cursor) error {
	begin := c.At()
	d.shape = nil
	space := func() { c.Skip(func(r rune) bool { return r == ' ' }) }
	ok := c.Accept('(')
	for space(); ok && !c.Accept(')'); space() {
		word := c.Word(maxNumber, func(r rune) bool { return r == ',' || r == ')' || r == ' ' })
		word = strings.TrimSuffix(word, "L") // as Python 2 wrote sizes
		n, err := strconv.ParseUint(word, 10, strconv.IntSize-1)
		d.shape = append(d.shape, int(n))
		space()
		ok = err == nil && (c.Accept(',') || c.Peek() == ')')
	}
	if !ok {
		return fmt.Errorf("%w: byte %d of the header: a shape that is not a list of sizes such as (371, 29)", ErrFormat, begin.Byte)
	}
	return nil
}

// matrix returns a matrix of the shape, without its numbers.
func (d *description) matrix() (*Matrix, error) {
	shape := d.shape
	for len(shape) > 2 && shape[0] == 1 {
		shape = shape[1:]
	}
	if len(shape) != 2 {
		return nil, fmt.Errorf("%w: an array of shape %v, want frames × symbols of a single utterance", ErrFormat, d.shape)
	}
	high, n := bits.Mul64(uint64(shape[0]), uint64(shape[1]))
	if n == 0 && high == 0 {
		return nil, errEmpty
	}
	if high > 0 || n > math.MaxInt/8 {
		return nil, fmt.Errorf("%w: an array of shape %v is more than a computer holds", ErrFormat, d.shape)
	}
	d.expected = int(n)
	return &Matrix{Frames: shape[0], Symbols: shape[1]}, nil
}

// numbers reads the numbers in the order of the file. It allocates memory in proportion to the
// bytes that it has read.
func (a *array) numbers() ([]float64, error) {
	const most = 1 << 10
	var x []float64
	b := make([]byte, most*a.size)
	for len(x) < a.expected {
		part := b[:min(most, a.expected-len(x))*a.size]
		if err := a.bytes(part); err != nil {
			return nil, nested.Errorf("%w, in an array of %d numbers", err, a.expected)
		}
		for ; len(part) > 0; part = part[a.size:] {
			switch a.size {
			case 2:
				x = append(x, half(a.order.Uint16(part)))
			case 4:
				x = append(x, float64(math.Float32frombits(a.order.Uint32(part))))
			default:
				x = append(x, math.Float64frombits(a.order.Uint64(part)))
			}
		}
	}
	return x, nil
}

// half returns the float64 that equals a float16, which has a sign bit, 5 bits of the exponent and
// 10 of the fraction.
func half(b uint16) float64 {
	exponent, fraction := int(b>>10&31), float64(b&1023)
	x := 0.0
	switch {
	case exponent == 31 && fraction > 0:
		return math.NaN()
	case exponent == 31:
		x = math.Inf(1)
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	default:
		x = math.Ldexp(1024+fraction, exponent-25)
	}
	if b>>15 > 0 {
		return math.Copysign(x, -1)
	}
	return x
}

// transposed returns the transpose of a matrix.
func transposed(x []float64, rows, columns int) []float64 {
	t := make([]float64, len(x))
	for i := range rows {
		for j := range columns {
			t[j*rows+i] = x[i*columns+j]
		}
	}
	return t
}

// WriteNPY writes m as a file of NumPy: float64 numbers, frame by frame, in version 1 of the
// format. Every number keeps its bits. The error is w's.
func (m *Matrix) WriteNPY(w io.Writer) error {
	b := bufio.NewWriter(w)
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", m.Frames, m.Symbols)
	const before = len(magic) + 4
	padding := (alignment - (before+len(header)+1)%alignment) % alignment
	header += strings.Repeat(" ", padding) + "\n"
	b.WriteString(magic)
	b.Write([]byte{1, 0})
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	b.WriteString(header)
	var number [8]byte
	for _, x := range m.Numbers {
		binary.LittleEndian.PutUint64(number[:], math.Float64bits(x))
		b.Write(number[:])
	}
	return b.Flush() // with the first error
}
