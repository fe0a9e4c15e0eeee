package linegrammar

import (
	"math"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
)

// The weight of a line with marks is the product of the strengths of the words before its
// marks, and after the tokens that they begin.
func TestMarks(t *testing.T) {
	p := em.NewParams()
	c := newContexts(p, []string{"at", "in"}, []string{"a", "b"}, 1)
	theta := p.Start()
	for i := range theta {
		theta[i] = float64(1+i*i%13) / 8
	}
	strength := func(group, word, kind string) float64 {
		for i := range p.Len() {
			if p.Name(int32(i)) == group+"["+word+"_"+kind+"]" {
				return theta[i]
			}
		}
		return 0
	}
	line := "at x in at in"
	f, err := marks(c, c.costs(theta), fst.RuneLabels(line))
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{"a", "b"}
	// Words by definition: before a position of the line, and after it.
	last := func(text string) string {
		if text == "" || !strings.HasSuffix(text, " ") {
			return text + "no word"
		}
		return text[strings.LastIndex(" "+text[:len(text)-1], " ") : len(text)-1]
	}
	weight := func(places []int, of []string) float64 {
		sum := 0.0
		for i, place := range places {
			word := last(line[:place])
			if place == 0 {
				word = ""
			}
			sum -= strength(beforeGroup, word, of[i])
			end := len(line)
			if i+1 < len(places) {
				end = places[i+1]
			}
			next, _, _ := strings.Cut(line[end:], " ")
			if end > 0 && end < len(line) && line[end-1] != ' ' {
				next = "no word"
			}
			sum -= strength(afterGroup, next, of[i])
		}
		return sum
	}
	n := 0
	for i := range line {
		for j := i; j < len(line); j++ {
			for k := range 4 {
				of := []string{kinds[k/2], kinds[k%2]}
				places := []int{i, j}
				if i == j {
					places, of = places[:1], of[:1]
				}
				var labels []int32
				for at, r := range line {
					if n := slices.Index(places, at); n >= 0 {
						labels = append(labels, FirstMark+int32(slices.Index(kinds, of[n])))
					}
					labels = append(labels, r)
				}
				got, err := fst.Weight(f, labels, labels, nil)
				if err != nil {
					t.Fatal(err)
				}
				if want := weight(places, of); math.Abs(float64(got)-want) > 1e-12 {
					t.Fatalf("marks %v at %v: cost %g, want %g", of, places, float64(got), want)
				}
				n++
			}
		}
	}
	if n != 2*13*14 {
		t.Errorf("%d ways", n)
	}
}
