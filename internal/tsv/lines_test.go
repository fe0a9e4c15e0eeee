package tsv

import (
	"io"
	"math"
	"strings"
	"testing"
)

// BenchmarkAppend reads blocks of lines, which no one looks at; BenchmarkLines looks at them.
func BenchmarkAppend(b *testing.B) {
	for name, end := range map[string]string{"LF": "\n", "CRLF": "\r\n"} {
		text := strings.Repeat("the quick brown fox\tle renard brun et rapide"+end, 20000)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var l Reader
			var block Block
			for b.Loop() {
				l.Reset(strings.NewReader(text), "")
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
	text := strings.Repeat("the quick brown fox\tle renard brun et rapide\n", 20000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for range Lines(strings.NewReader(text), "") {
		}
	}
}
