package saved_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/pathsum/internal/saved"
)

const format saved.Format = "pathsum test 2"

type value struct {
	Name    string
	Numbers []float64
}

// values are of several lengths, one longer than a buffer.
func values() []value {
	long := value{Name: "long", Numbers: make([]float64, 10000)}
	for i := range long.Numbers {
		long.Numbers[i] = math.Sqrt(float64(i))
	}
	return []value{{"a", []float64{math.Pi, math.Inf(-1), math.SmallestNonzeroFloat64}}, long, {}}
}

func write(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := format.Write(&b, v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A file is the line, the number of bytes of a description and the value, and their hash.
func TestWrite(t *testing.T) {
	const want = "pathsum test 2\n" + "\x41\x00\x00\x00\x00\x00\x00\x00" +
		"\x20\x00\x00\x00\x00\x00\x00\x00{Name string;Numbers []float64;}" +
		"\x01\x00\x00\x00\x00\x00\x00\x00a" +
		"\x02\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\xf0\xbf"
	got := write(t, value{"a", []float64{-1}})
	if hash := sha256.Sum256([]byte(want[23:])); string(got) != want+string(hash[:]) {
		t.Errorf("%q, want %q and its hash", got, want)
	}
}

// text is a model.
type text string

func (s text) Save(w io.Writer) error {
	if s == "" {
		return io.ErrShortWrite
	}
	_, err := io.WriteString(w, string(s))
	return err
}

// A series is a value, followed by models, each by its own Save.
func TestWriteSeries(t *testing.T) {
	var b bytes.Buffer
	v := value{"a", []float64{1}}
	if err := format.WriteSeries(&b, v, text("one"), text("two")); err != nil || b.String() != string(write(t, v))+"onetwo" {
		t.Errorf("%q, %v", b.String(), err)
	}
	if err := format.WriteSeries(&b, v, text("one"), text("")); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v of a model that is not saved", err)
	}
	if err := format.WriteSeries(&b, func() {}, text("one")); err == nil {
		t.Error("a function was saved")
	}
}

// TestBefore: a file of the preceding version is in the encoding of package gob.
func TestBefore(t *testing.T) {
	for _, want := range values() {
		var b bytes.Buffer
		b.WriteString("pathsum test 1\n")
		if err := gob.NewEncoder(&b).Encode(want); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		var got value
		r := strings.NewReader(text + "more")
		if err := format.Read(r, &got); err != nil || !reflect.DeepEqual(got, want) || r.Len() != len("more") {
			t.Errorf("%s: %v, %v, %d bytes are left", want.Name, got, err, r.Len())
		}
		if err := format.Read(strings.NewReader(text[:len(text)-1]), &got); err == nil {
			t.Errorf("%s: no error for the text without its end", want.Name)
		}
	}
	if err := saved.Format("pathsum test").Read(strings.NewReader("pathsum test 0\n"), new(value)); err == nil {
		t.Error("a format without a version reads one")
	}
}

// TestOneBit: a file with any changed bit is an error.
func TestOneBit(t *testing.T) {
	good := write(t, values()[0])
	for i := range 8 * len(good) {
		bad := bytes.Clone(good)
		bad[i/8] ^= 1 << (i % 8)
		if err := format.Read(bytes.NewReader(bad), new(value)); err == nil {
			t.Errorf("bit %d: no error", i)
		}
	}
}

// A value may follow another, and other data the last.
func TestRead(t *testing.T) {
	var text []byte
	for _, v := range values() {
		text = append(text, write(t, v)...)
	}
	text = append(text, "and so on"...)
	buffered := bufio.NewReaderSize(bytes.NewReader(text), 16)
	if saved.Series(buffered) != io.Reader(buffered) {
		t.Error("a buffer for what has one")
	}
	for name, r := range map[string]io.Reader{
		"bytes.Reader":    bytes.NewReader(text),
		"bufio.Reader":    buffered,
		"Series":          saved.Series(iotest.OneByteReader(bytes.NewReader(text))),
		"Series, at once": saved.Series(iotest.DataErrReader(bytes.NewReader(text))),
	} {
		for i, want := range values() {
			var got value
			if err := format.Read(r, &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: value %d is %v, %v", name, i, got, err)
			}
		}
		if rest, err := io.ReadAll(r); string(rest) != "and so on" || err != nil {
			t.Errorf("%s: %q and %v are left", name, rest, err)
		}
	}
	var got value
	if err := format.Read(iotest.HalfReader(bytes.NewReader(text)), &got); err != nil || got.Name != "a" {
		t.Errorf("without io.ByteReader: %v, %v", got, err)
	}
}

func TestReadErrors(t *testing.T) {
	good := write(t, values()[0])
	for n := range good {
		err := format.Read(bytes.NewReader(good[:n]), new(value))
		says := "it "
		if n > len(format) {
			says = "behind \"pathsum test 2\\n\": "
		}
		if err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("the first %d bytes: error %v, want one that says %s", n, err, says)
		}
	}
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		r    io.Reader
		into any
		says string
	}{
		"another file":    {strings.NewReader("pathsum test 3\n" + string(good)), new(value), "of another version"},
		"a longer line":   {strings.NewReader("pathsum test 22\n" + string(good)), new(value), "of another version"},
		"no line":         {bytes.NewReader(good[len(format)+1:]), new(value), "does not begin"},
		"another type":    {bytes.NewReader(good), new(struct{ Name int }), "behind"},
		"a broken reader": {iotest.ErrReader(broken), new(value), "broken"},
		"it breaks later": {io.MultiReader(bytes.NewReader(good[:30]), iotest.ErrReader(broken)), new(value), "broken"},
	} {
		if err := format.Read(c.r, c.into); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
		}
	}
}

// limited is a writer that accepts the given number of bytes.
type limited int

var errFull = errors.New("full")

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), int(*l))
	*l -= limited(n)
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func TestWriteErrors(t *testing.T) {
	v := values()[0]
	for n := range write(t, v) {
		w := limited(n)
		if err := format.Write(&w, v); !errors.Is(err, errFull) {
			t.Errorf("a writer of %d bytes: error %v", n, err)
		}
	}
	if err := format.Write(io.Discard, func() {}); err == nil {
		t.Error("no error for what cannot be stored")
	}
}
