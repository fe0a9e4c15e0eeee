package rewrite_test

import (
	"fmt"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rewrite"
	"example.org/pathsum/semiring"
)

// A rule for a thousand words over an alphabet of 255 labels, the longest match anywhere.
func BenchmarkWords(b *testing.B) {
	ring := semiring.Tropical{}
	var words []fst.Path[semiring.Cost]
	for i := range int32(1000) {
		in := []int32{'a' + i%26, 'a' + i/26%26, 'a' + i/676, 'a' + i%7, 'a' + i%11}
		words = append(words, fst.Path[semiring.Cost]{In: in, Out: fst.RuneLabels(fmt.Sprint(i))})
	}
	change := fst.StringMap(ring, words)
	var alphabet []int32
	for l := range int32(255) {
		alphabet = append(alphabet, l+1)
	}
	for b.Loop() {
		f, err := rewrite.Compile([]rewrite.Rule[semiring.Cost]{{Change: change}}, &rewrite.Options[semiring.Cost]{Alphabet: alphabet, Match: rewrite.Longest})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(f.NumArcs()), "arcs")
	}
}
