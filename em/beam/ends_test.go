package beam_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/beam"
	"example.org/pathsum/em/cascade"
	plain "example.org/pathsum/internal/text"
)

// TestLineEnds: shards of files with a byte order mark, and with line ends of any system,
// have the lines of the whole file.
func TestLineEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 17))
	texts := []string{"", "\ufeff", "\r", "\r\n", "\n\r", "\ufeffa", "\ufeff\n", strings.Repeat("x\r\n", 1000), strings.Repeat("\r", 1000), strings.Repeat("\r\n\n", 600)}
	for range 20 {
		var b strings.Builder
		if rng.IntN(2) == 0 {
			b.WriteString("\ufeff")
		}
		for i := range rng.IntN(1500) {
			fmt.Fprint(&b, []string{"", "\ufeff", "é", ""}[rng.IntN(4)], i)
			b.WriteString([]string{"\n", "\r", "\r\n", "\r\r\n"}[rng.IntN(4)])
		}
		texts = append(texts, b.String())
	}
	for i, content := range texts {
		dir := t.TempDir()
		file := filepath.Join(dir, "data")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var want []cascade.Line
		for l, err := range plain.LinesOf(file) {
			if err != nil || l.Err != nil {
				t.Fatal(err, l.Err)
			}
			want = append(want, cascade.Line{File: file, Number: l.Number, Text: l.Text})
		}
		text, err := beam.Survey(t.Context(), dir, nil, file)
		if err != nil {
			t.Fatal(err)
		}
		if text.Lines() != len(want) {
			t.Fatalf("text %d: %d lines, want %d", i, text.Lines(), len(want))
		}
		if len(want) == 0 {
			continue
		}
		var got []cascade.Line
		for _, s := range text.Cut(em.NewCutBySize(len(want), 1+rng.IntN(300))) {
			for l, err := range s.Read(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, l)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("text %d: the shards have other lines than the file", i)
		}
	}
}
