package privacy

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// The binary form of a record: these three bytes, the last of which is the version; a byte
// that is 1 if its randomness was crypto/rand; the fingerprint; the index, as a varint;
// and the bits, the first of them the lowest of the first byte.
var prefix = [3]byte{'P', 'R', version}

const version = 1

// jsonRecord is the JSON form.
type jsonRecord struct {
	Version   int    `json:"version"`
	Mechanism string `json:"mechanism"` // the fingerprint
	Private   bool   `json:"private"`
	Index     int    `json:"index"`
	Bits      string `json:"bits,omitempty"` // bytes as in the binary form, in hexadecimal digits
}

// AppendBinary appends r in the binary form. The form is self-delimiting, so records can be
// concatenated. The error wraps ErrInvalid for the zero Record.
func (r Record) AppendBinary(b []byte) ([]byte, error) {
	packed, err := r.pack()
	if err != nil {
		return b, err
	}
	private := byte(0)
	if r.private {
		private = 1
	}
	fingerprint := r.by.Fingerprint()
	b = append(append(append(b, prefix[:]...), private), fingerprint[:]...)
	b = binary.AppendUvarint(b, uint64(r.index))
	return append(b, packed...), nil
}

// MarshalBinary returns AppendBinary(nil).
func (r Record) MarshalBinary() ([]byte, error) { return r.AppendBinary(nil) }

// MarshalJSON returns r as a JSON object on one line. The error is as for AppendBinary.
func (r Record) MarshalJSON() ([]byte, error) {
	packed, err := r.pack()
	if err != nil {
		return nil, err
	}
	return json.Marshal(jsonRecord{version, r.by.Fingerprint().String(), r.private, r.index, hex.EncodeToString(packed)})
}

// pack returns the bits of r.
func (r *Record) pack() ([]byte, error) {
	if r.by == nil {
		return nil, nested.Errorf("privacy: %w: a record that was not released by a mechanism", ErrInvalid)
	}
	width, _ := r.by.shape(r.index)
	b := make([]byte, (width+7)/8)
	for i := range b {
		b[i] = byte(r.bits[i/8] >> (i % 8 * 8))
	}
	return b, nil
}

// Collector reads records that were sent to it. It accepts records of known mechanisms and rejects
// all others. It is safe for concurrent use.
type Collector struct {
	known map[Fingerprint]Observer
	most  int // maximum number of bytes of a record's bits
}

// NewCollector returns a collector of the records of mechanisms. Make them by the same functions
// and from the same arguments as the mechanisms that release the records.
func NewCollector(mechanisms ...Observer) *Collector {
	c := &Collector{known: map[Fingerprint]Observer{}}
	for _, m := range mechanisms {
		c.known[m.Fingerprint()] = m
		for i := 0; ; i++ {
			width, ok := m.shape(i)
			if !ok {
				break
			}
			c.most = max(c.most, (width+7)/8)
		}
	}
	return c
}

// Binary reads a single record in the form of AppendBinary. The error wraps ErrFormat for any other
// data, and ErrInvalid for a record of an unknown mechanism.
func (c *Collector) Binary(data []byte) (Record, error) {
	in := bytes.NewReader(data)
	r, err := c.binary(in)
	if err == nil && in.Len() > 0 {
		return Record{}, nested.Errorf("privacy: %w: %d bytes after a record", ErrFormat, in.Len())
	}
	return r, err
}

// JSON reads a record in the form of MarshalJSON. The error is as for Binary.
func (c *Collector) JSON(data []byte) (Record, error) {
	var j jsonRecord
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return Record{}, nested.Errorf("privacy: %w: %w", ErrFormat, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return Record{}, nested.Errorf("privacy: %w: text after the object of a record", ErrFormat)
	}
	if j.Version != version {
		return Record{}, nested.Errorf("privacy: %w: a record of version %d, want %d", ErrFormat, j.Version, version)
	}
	fingerprint, err := hex.DecodeString(j.Mechanism)
	if err != nil || len(fingerprint) != len(Fingerprint{}) {
		return Record{}, nested.Errorf("privacy: %w: %s is not a fingerprint of a mechanism", ErrFormat, text.Quote(j.Mechanism))
	}
	packed, err := hex.DecodeString(j.Bits)
	if err != nil {
		return Record{}, nested.Errorf("privacy: %w: the bits of a record: %w", ErrFormat, err)
	}
	by, width, err := c.find(Fingerprint(fingerprint), j.Index)
	if err != nil {
		return Record{}, err
	}
	return unpack(Record{by: by, index: j.Index, private: j.Private}, width, packed)
}

// Records reads concatenated records in the binary form, in JSON with a line for each, or in a
// mixture of both. It ends after the first error, which comes from the reader or is as for Binary.
// It holds one record at a time.
func (c *Collector) Records(from io.Reader) iter.Seq2[Record, error] {
	const rest = 1 << 10 // ample for a line of JSON without its bits
	return func(yield func(Record, error) bool) {
		in := bufio.NewReaderSize(from, rest+2*c.most)
		for {
			r, err := c.next(in)
			if err == io.EOF || !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// next reads a record; the error is io.EOF at the end.
func (c *Collector) next(in *bufio.Reader) (Record, error) {
	for {
		first, err := in.Peek(1)
		if err != nil {
			return Record{}, err
		}
		switch first[0] {
		case '\n', '\r':
			in.Discard(1)
		case '{':
			line, err := in.ReadSlice('\n')
			switch {
			case err == bufio.ErrBufferFull:
				return Record{}, nested.Errorf("privacy: %w: a line of more than %d bytes", ErrFormat, len(line))
			case err != nil && err != io.EOF:
				return Record{}, err
			}
			return c.JSON(line)
		default:
			return c.binary(in)
		}
	}
}

// input is a reader for the binary form.
type input interface {
	io.Reader
	io.ByteReader
}

func (c *Collector) binary(in input) (Record, error) {
	var head [len(prefix) + 1 + len(Fingerprint{})]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return Record{}, torn(err)
	}
	if [3]byte(head[:]) != prefix || head[3] > 1 {
		return Record{}, nested.Errorf("privacy: %w: a record begins with %q, want %q and 0 or 1", ErrFormat, head[:4], prefix[:])
	}
	var digits []byte
	for len(digits) == 0 || digits[len(digits)-1] >= 0x80 {
		b, err := in.ReadByte()
		if err != nil {
			return Record{}, torn(err)
		}
		if digits = append(digits, b); len(digits) > binary.MaxVarintLen32 {
			break
		}
	}
	index, n := binary.Uvarint(digits)
	if n != len(digits) || n > 1 && digits[n-1] == 0 || index > 1<<31-1 {
		return Record{}, nested.Errorf("privacy: %w: the index %x of a record", ErrFormat, digits)
	}
	by, width, err := c.find(Fingerprint(head[4:]), int(index))
	if err != nil {
		return Record{}, err
	}
	packed := make([]byte, (width+7)/8)
	if _, err := io.ReadFull(in, packed); err != nil {
		return Record{}, torn(err)
	}
	return unpack(Record{by: by, index: int(index), private: head[3] == 1}, width, packed)
}

// torn returns the error for a record that ends too early, or err if it is another error of a
// reader.
func torn(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return nested.Errorf("privacy: %w: the last record: %w", ErrFormat, io.ErrUnexpectedEOF)
	}
	return err
}

// find returns a known mechanism and the number of bits of its record with the given index.
func (c *Collector) find(f Fingerprint, index int) (Observer, int, error) {
	by, ok := c.known[f]
	if !ok {
		return nil, 0, nested.Errorf("privacy: %w: a record of mechanism %v, which is not among the %d known", ErrInvalid, f, len(c.known))
	}
	width, ok := by.shape(index)
	if !ok {
		return nil, 0, nested.Errorf("privacy: %w: a record of mechanism %v with the index %d", ErrFormat, f, index)
	}
	return by, width, nil
}

// unpack returns r with its bits.
func unpack(r Record, width int, packed []byte) (Record, error) {
	if len(packed) != (width+7)/8 || width%8 != 0 && packed[len(packed)-1]>>(width%8) != 0 {
		return Record{}, nested.Errorf("privacy: %w: bits %x of a record that has %d", ErrFormat, packed, width)
	}
	if width > 0 {
		r.bits = make([]uint64, (width+63)/64)
	}
	for i, b := range packed {
		r.bits[i/8] |= uint64(b) << (i % 8 * 8)
	}
	return r, nil
}
