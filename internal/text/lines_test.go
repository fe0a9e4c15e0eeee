package text_test

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/internal/text"
)

// TestLines: the line after a bad line is read.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", 3*text.MaxLine)
	for _, end := range []string{"", "\n", "\r\n"} {
		content := "\ufeffa\r\n\n" + long + "\n\xff\n" + long[:text.MaxLine] + "\nb\n" + long + end
		var got []string
		for line, err := range text.Lines(strings.NewReader(content), "f") {
			if err != nil {
				t.Fatal(err)
			}
			if line.Number != len(got)+1 {
				t.Errorf("line %d has number %d", len(got)+1, line.Number)
			}
			if line.Err != nil {
				line.Text = line.Err.Error()
			}
			got = append(got, line.Text)
		}
		want := []string{
			"a", "", "f:3: line too long: more than 1048576 bytes", "f:4: invalid UTF-8 at byte 1", long[:text.MaxLine], "b",
			"f:7: line too long: more than 1048576 bytes",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("end %q: %s", end, d)
		}
	}
}

// BenchmarkAppend reads blocks of lines without validation; BenchmarkLines validates them.
func BenchmarkAppend(b *testing.B) {
	for name, end := range map[string]string{"LF": "\n", "CRLF": "\r\n"} {
		content := strings.Repeat("the quick brown fox\tle renard brun et rapide"+end, 20000)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			var l text.BlockReader
			var block text.Block
			for b.Loop() {
				l.Reset(strings.NewReader(content), "")
				for {
					block.Reset()
					if err := l.Append(&block, math.MaxInt); err == io.EOF {
						break
					}
				}
			}
		})
	}
}

func BenchmarkLines(b *testing.B) {
	content := strings.Repeat("the quick brown fox\tle renard brun et rapide\n", 20000)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		for range text.Lines(strings.NewReader(content), "") {
		}
	}
}
