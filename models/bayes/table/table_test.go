package table_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/bayes"
	"example.org/pathsum/models/bayes/table"
)

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func TestRead(t *testing.T) {
	const text = "h, x,\"y, z\",other\nyes,2.5,'a',1\n?,nan,\"b\",2\nno,,NA,3\n"
	csv := must(table.Read(strings.NewReader(text), "dir/t.csv", nil))
	if d := cmp.Diff([]string{"h", "x", "y, z", "other"}, csv.Columns); d != "" {
		t.Error(d)
	}
	n := must(bayes.New([]bayes.Variable{{Name: "x"}, {Name: "y, z", States: csv.States(2)},
		{Name: "h", States: []string{"no", "yes"}}, {Name: "absent", States: []string{"0", "1"}}},
		[]bayes.Family{{Children: []int{0}}, {Children: []int{1}}, {Children: []int{2}}, {Children: []int{3}}}))
	nan := math.NaN()
	used := must(csv.Select("y, z", "h", "x"))
	if d := cmp.Diff([]bayes.Row{{2.5, 0, 1, nan}, {nan, 1, nan, nan}, {nan, nan, 0, nan}}, must(used.RowsOf(n)), cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
	if x := must(csv.Numbers(1)); x[0] != 2.5 || x[1] == x[1] {
		t.Errorf("numbers %v", x)
	}
	if d := cmp.Diff([]string{"-1", "2", "10"}, must(table.Read(strings.NewReader("10\n2\n-1\n2\n"), "x", []string{"a"})).States(0)); d != "" {
		t.Error(d)
	}
	var e *bayes.ParseError
	if _, err := csv.Numbers(0); !errors.As(err, &e) || e.Line != 2 {
		t.Errorf("words as numbers: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "a,b\n1,2\n", "a\n?\n'x'\n", "\"a", "a,b\n1\n", "\xff\n\xff\n", "a\r\n\"\r\n\"\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var csv *table.Table
		var err error
		memtest.Bound(t, len(text), 400, func() { csv, err = table.Read(strings.NewReader(text), "x", nil) })
		var e *bayes.ParseError
		if err != nil {
			if !errors.As(err, &e) || e.Line < 1 {
				t.Fatal(err)
			}
			return
		}
		for i, row := range csv.Rows {
			if len(row) != len(csv.Columns) || csv.Lines[i] < 1 {
				t.Fatalf("row %q of columns %q, line %d", row, csv.Columns, csv.Lines[i])
			}
		}
	})
}

// Bins hold about equally many values, equal ones together.
func TestEqualFrequency(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial[uint64](500)) {
		rng := graphtest.Rand(seed)
		values := make([]float64, 1+rng.IntN(40))
		distinct := seed%2 == 0
		for i := range values {
			values[i] = rng.NormFloat64()
			if !distinct {
				values[i] = math.Round(2 * values[i])
			}
		}
		n := 1 + rng.IntN(6)
		b := must(table.EqualFrequency(append(values, math.NaN()), n))
		if len(b.States()) > n || len(b.States()) != len(b.Edges)+1 {
			t.Fatalf("seed %d: bins %v, want at most %d", seed, b.States(), n)
		}
		held := make([]int, n)
		for _, x := range values {
			i := b.Of(x)
			held[i]++
			if i > 0 && x <= b.Edges[i-1] || i < len(b.Edges) && x > b.Edges[i] {
				t.Fatalf("seed %d: %v is in bin %d of %v", seed, x, i, b.Edges)
			}
		}
		for i := range b.States() {
			if held[i] == 0 {
				t.Fatalf("seed %d: bin %d of %v is empty", seed, i, b.States())
			}
			if share := float64(len(values)) / float64(n); distinct && len(values) >= n && math.Abs(float64(held[i])-share) > 1.5 {
				t.Fatalf("seed %d: bins of %v values, want about %v", seed, held, share)
			}
		}
	}
	if got := must(table.EqualFrequency([]float64{1, 2, 3, 4}, 2)); got.Edges[0] != 2.5 || got.States()[0] != "≤2.5" || got.States()[1] != ">2.5" {
		t.Errorf("bins %v", got.States())
	}
	for _, bad := range [][]float64{nil, {math.NaN()}, {1, math.Inf(1)}} {
		if _, err := table.EqualFrequency(bad, 2); !errors.Is(err, bayes.ErrInvalid) {
			t.Errorf("values %v: %v", bad, err)
		}
	}
}
