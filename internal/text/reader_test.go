package text_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"example.org/pathsum/internal/text"
)

func TestReader(t *testing.T) {
	readers := map[string]func(io.Reader) io.Reader{
		"whole":             func(r io.Reader) io.Reader { return r },
		"byte by byte":      iotest.OneByteReader,
		"error with data":   iotest.DataErrReader,
		"half of a request": iotest.HalfReader,
	}
	for name, shape := range readers {
		for in, want := range map[string]string{
			"":                         "",
			"a":                        "a",
			"\ufeff":                   "",
			"\ufeffa\nb":               "a\nb",
			"\ufeff\ufeffa":            "\ufeffa", // the second is a character
			"a\ufeff":                  "a\ufeff",
			"a\r\nb\rc\nd":             "a\nb\nc\nd",
			"\r\r\n\r":                 "\n\n\n",
			"\n\r":                     "\n\n",
			"\r\n\r\n":                 "\n\n",
			"\xef\xbb":                 "\xef\xbb",
			"\xefa\xbb\xbf":            "\xefa\xbb\xbf",
			"\xff":                     "\xff",
			strings.Repeat("x\r\n", 9): strings.Repeat("x\n", 9),
		} {
			got, err := io.ReadAll(text.NewReader(shape(strings.NewReader(in))))
			if string(got) != want || err != nil {
				t.Errorf("%s: %q is read as %q, %v, want %q", name, in, got, err, want)
			}
			if err := iotest.TestReader(text.NewReader(shape(strings.NewReader(in))), []byte(want)); err != nil {
				t.Errorf("%s: %q: %v", name, in, err)
			}
		}
		for _, in := range []string{"\xff\xfea\x00", "\xfe\xff\x00a"} {
			if got, err := io.ReadAll(text.NewReader(shape(strings.NewReader(in)))); len(got) > 0 || !errors.Is(err, text.ErrUTF16) {
				t.Errorf("%s: %q is read as %q, %v, want ErrUTF16", name, in, got, err)
			}
		}
	}
	broken := errors.New("broken")
	for _, in := range []string{"", "\xef", "a\r\n"} {
		want := strings.ReplaceAll(in, "\r\n", "\n")
		r := text.NewReader(io.MultiReader(strings.NewReader(in), iotest.ErrReader(broken)))
		if got, err := io.ReadAll(r); string(got) != want || !errors.Is(err, broken) {
			t.Errorf("%q before an error is read as %q, %v", in, got, err)
		}
	}
}

// A line written to a pipe must be returned before the next one is written.
func TestReaderDoesNotWait(t *testing.T) {
	r, w := io.Pipe()
	lines := text.NewReader(r)
	for _, line := range []string{"a\n", "bc\r", "\nd\n"} {
		go w.Write([]byte(line))
		want := strings.TrimPrefix(strings.ReplaceAll(line, "\r", "\n"), "\n")
		if line[0] != '\n' {
			want = strings.ReplaceAll(line, "\r", "\n")
		}
		got := make([]byte, 0, 8)
		for len(got) < len(want) {
			n, err := lines.Read(got[len(got):cap(got)])
			if err != nil {
				t.Fatal(err)
			}
			got = got[:len(got)+n]
		}
		if string(got) != want {
			t.Errorf("%q is read as %q, want %q", line, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"":                      `""`,
		"a\t\"":                 `"a\t\""`,
		strings.Repeat("é", 40): `"` + strings.Repeat("é", 40) + `"`,
		strings.Repeat("é", 41): `"` + strings.Repeat("é", 40) + `"… (82 bytes)`,
	} {
		if got := text.Quote(in); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestList(t *testing.T) {
	long := strings.Repeat("x", 41)
	if got, want := text.List([]string{"a", "b c", long}), "a, b c, "+text.Quote(long); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := text.List(strings.Split("abcdefghijk", "")), "a, b, c, d, e, f, g, h, i, j, …"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTokens(t *testing.T) {
	long := strings.Repeat("x", 50)
	args := []any{long, long, 7, "a", errors.New(long), []string{"b"}}
	got := fmt.Sprintf("%s %q %d %5s %v %q", text.Tokens(args...)...)
	if want := long + " " + text.Quote(long) + ` 7     a ` + long + ` ["b"]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("\ufeffa\r\nb\rc\n"), 3)
	f.Add([]byte("\xff\xfe"), 1)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		var out bytes.Buffer
		r := text.NewReader(bytes.NewReader(in))
		buffer := make([]byte, 1+max(size, -size)&63)
		if size < 0 {
			buffer = buffer[:1]
		}
		_, err := io.CopyBuffer(struct{ io.Writer }{&out}, struct{ io.Reader }{r}, buffer)
		if bytes.HasPrefix(in, []byte{0xff, 0xfe}) || bytes.HasPrefix(in, []byte{0xfe, 0xff}) {
			if !errors.Is(err, text.ErrUTF16) {
				t.Fatalf("%q: %v", in, err)
			}
			return
		}
		want := strings.TrimPrefix(string(in), "\ufeff")
		want = strings.ReplaceAll(strings.ReplaceAll(want, "\r\n", "\n"), "\r", "\n")
		if err != nil || out.String() != want {
			t.Fatalf("%q is read as %q, %v, want %q", in, out.String(), err, want)
		}
	})
}
