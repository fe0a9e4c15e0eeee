package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"example.org/pathsum/internal/golden"
	"example.org/pathsum/internal/grammars"
)

// The stored machines are equal to the compiled grammars.
func TestKept(t *testing.T) {
	for _, d := range grammars.Directions {
		var want bytes.Buffer
		if err := grammarOf(t, d).Keep(&want); err != nil {
			t.Fatal(err)
		}
		file, err := keptMachines.Open(keptName(d))
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		if z, err := gzip.NewReader(file); err == nil {
			got, _ = io.ReadAll(z)
		}
		if bytes.Equal(got, want.Bytes()) {
			continue
		}
		var packed bytes.Buffer
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write(want.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		golden.File(t, keptName(d), packed.String())
	}
}

// A stored machine gives the same readings as the grammar, at the same costs.
func TestKeptReadings(t *testing.T) {
	for _, d := range grammars.Directions {
		g, err := kept(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"", "one 12 中 \xff\x00", "21st", "x€μ\u200b", "two thirty", "It is 5 ft. long", "Twenty two dollars"} {
			want, err := grammarOf(t, d).Apply(line, 3)
			if err != nil {
				t.Fatal(err)
			}
			got, err := g.Apply(line, 3)
			if err != nil || len(got) != len(want) {
				t.Fatalf("%q: %v, %v, want %v", line, got, err, want)
			}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("%q is read as %v, want %v", line, got[i], want[i])
				}
			}
		}
	}
}
