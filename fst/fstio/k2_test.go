package fstio_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/semiring"
)

// k2Paths lists the paths of a text in k2's form, read column by column.
func k2Paths(t *testing.T, text string) []string {
	t.Helper()
	type arc struct {
		from, to, in, out int
		score             float64
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var arcs []arc
	for _, line := range lines[:len(lines)-1] {
		var a arc
		var err error
		if strings.Count(line, " ") == 3 {
			_, err = fmt.Sscan(line, &a.from, &a.to, &a.in, &a.score)
			a.out = a.in
		} else {
			_, err = fmt.Sscan(line, &a.from, &a.to, &a.in, &a.out, &a.score)
		}
		if err != nil {
			t.Fatal(err)
		}
		arcs = append(arcs, a)
	}
	var final int
	if _, err := fmt.Sscan(lines[len(lines)-1], &final); err != nil {
		t.Fatal(err)
	}
	all := []string{}
	var walk func(p int, in, out []int32, score float64)
	walk = func(p int, in, out []int32, score float64) {
		if p == final {
			all = append(all, fmt.Sprint(in, out, semiring.Cost(0-score)))
			return
		}
		for _, a := range arcs {
			if a.from == p {
				i, o := in, out
				if a.in > 0 {
					i = append(slices.Clone(in), int32(a.in))
				}
				if a.out > 0 {
					o = append(slices.Clone(out), int32(a.out))
				}
				walk(a.to, i, o, score+a.score)
			}
		}
	}
	walk(0, nil, nil, 0)
	slices.Sort(all)
	return all
}

func TestReadK2(t *testing.T) {
	// The example of k2's documentation of Fsa.from_str, as an acceptor and as a transducer.
	for _, text := range []string{
		"0 1 2 0.1\n0 1 3 0.2\n1 2 -1 0.3\n2\n",
		"0 1 2 22 0.1\n0 1 3 0 0.2\n1 2 -1 -1 0.3\n2\n",
		"0 2 1 1 -1\n2 7 -1 0 -Inf\n0 7 -1 -1 .5\n7\n",
		"1 2 -1 0\n2\n",
	} {
		f := must(fstio.ReadK2(strings.NewReader(text), tropical))(t)
		want := slices.DeleteFunc(k2Paths(t, text), func(p string) bool { return strings.Contains(p, "Inf") })
		if got := paths(f); !slices.Equal(got, want) {
			t.Errorf("%q: paths %v, want %v", text, got, want)
		}
	}
	// Several arcs to the final state are added.
	f := must(fstio.ReadK2(strings.NewReader("0 1 -1 0\n0 1 -1 0\n1"), reals))(t)
	if f.NumStates() != 1 || f.Final(0) != 2 {
		t.Errorf("%d states, final weight %g", f.NumStates(), f.Final(0))
	}
	for text, states := range map[string]int{"": 0, " \n": 0, "3\n": 1} {
		if f := must(fstio.ReadK2(strings.NewReader(text), tropical))(t); f.NumStates() != states {
			t.Errorf("%q: %d states", text, f.NumStates())
		}
	}
	if _, err := fstio.ReadK2(strings.NewReader(""), fsttest.Bags{}); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without ln p: %v", err)
	}
	if _, err := fstio.ReadK2(strings.NewReader("0 1 -1 800\n1"), reals); !errors.Is(err, semiring.ErrLimit) {
		t.Errorf("a p that is too large: %v", err)
	}
}

func TestWriteK2(t *testing.T) {
	for seed := range uint64(200) {
		r := fsttest.Rand(seed)
		f := randomCosts(seed)
		form := fstio.Transducer
		if r.IntN(2) == 0 {
			f, form = must(fst.Expand(fst.ProjectIn(f), nil))(t), fstio.Acceptor
		}
		switch n := int32(f.NumStates()); r.IntN(3) {
		case 0: // another order of states
			f = must(fst.Reverse(must(fst.Reverse(f, nil))(t), nil))(t)
		case 1:
			f = must(f.WithWeights(f.Graph().Weights(), []fst.Start[semiring.Cost]{{State: 0, Weight: 1}, {State: n - 1, Weight: .5}}, f.Graph().Finals()))(t)
		}
		var b strings.Builder
		if err := fstio.WriteK2(&b, f, form); err != nil {
			t.Fatal(err)
		}
		want := paths(f)
		if got := k2Paths(t, b.String()); !slices.Equal(got, want) {
			t.Fatalf("seed %d: paths %v, want %v, of\n%s", seed, got, want, b.String())
		}
		if got := paths(must(fstio.ReadK2(strings.NewReader(b.String()), tropical))(t)); !slices.Equal(got, want) {
			t.Fatalf("seed %d: paths %v, want %v, after\n%s", seed, got, want, b.String())
		}
		// k2 requires the first column to ascend.
		last := -1
		for line := range strings.Lines(b.String()) {
			var from int
			fmt.Sscan(line, &from)
			if from < last {
				t.Fatalf("state %d after %d", from, last)
			}
			last = from
		}
	}
	name := filepath.Join(t.TempDir(), "x.gz")
	if err := fstio.WriteK2File(name, randomCosts(7), fstio.Transducer); err != nil {
		t.Fatal(err)
	}
	if got, want := paths(must(fstio.ReadK2File(name, tropical))(t)), paths(randomCosts(7)); !slices.Equal(got, want) {
		t.Errorf("paths %v, want %v", got, want)
	}
	var b bytes.Buffer
	if err := fstio.WriteK2(&b, must(fst.Expand(fst.FromPair(tropical, []int32{1}, []int32{2}), nil))(t), fstio.Acceptor); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("a transducer as an acceptor: %v", err)
	}
	if err := fstio.WriteK2(&b, fst.OneState(reals, -1), fstio.Acceptor); !errors.Is(err, fst.ErrInvalid) {
		t.Errorf("a negative weight: %v", err)
	}
	if err := fstio.WriteK2(&b, fst.OneState(fsttest.Bags{}, fsttest.Bags{}.One()), fstio.Acceptor); !errors.Is(err, semiring.ErrCapability) {
		t.Errorf("a ring without ln p: %v", err)
	}
	if err := fstio.WriteK2(failing{}, randomCosts(7), fstio.Transducer); err == nil {
		t.Error("the error of the writer is lost")
	}
}

// k2Mistakes are texts that are not machines in k2's form.
var k2Mistakes = []string{
	"0 1 1\n1\n",
	"0 1 1 0\n0 1 1 1 0\n1\n",
	"0 1 1 0\n",
	"0 1 -1 0\n1\n1\n",
	"0 1 -1 0\n0 2 -1 0\n1\n",
	"0 1 -1 0\n2\n",
	"0 1 1 0\n1\n",
	"0 1 -1 0\n1 0 1 0\n1\n",
	"0 2 1 0\n0 1 -1 0\n1\n",
	"0\n",
	"0 1 -1 5 0\n1\n",
	"0 1 -2 0\n1\n",
	"x 1 -1 0\n1\n",
	"0 1 -1 heavy\n1\n",
	"0 1 -1 nan\n1\n",
	"0 1 -1 Inf\n1\n",
	"0 1 1 2 .5\n1 .5\n",
}

func FuzzReadK2(f *testing.F) {
	f.Add("0 1 2 22 0.1\n0 1 3 0 0.2\n1 2 -1 -1 0.3\n2\n")
	f.Add("0 1 2 0.1\n0 1 3 0.2\n1 2 -1 0.3\n2\n")
	f.Add("9\n")
	f.Add("0 0 0 1\n0 2 -1 0\n2")
	for _, text := range k2Mistakes {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var m costs
		var err error
		memtest.Bound(t, len(text), perText, func() { m, err = fstio.ReadK2(strings.NewReader(text), tropical) })
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := fstio.WriteK2(&first, m, fstio.Transducer); err != nil {
			t.Fatal(err)
		}
		again, err := fstio.ReadK2(bytes.NewReader(first.Bytes()), tropical)
		if err != nil {
			t.Fatalf("%v, of %q", err, first.String())
		}
		if err := fstio.WriteK2(&second, again, fstio.Transducer); err != nil {
			t.Fatal(err)
		}
		want, err := fst.PathSum(m, nil)
		if err != nil {
			return // of negative cycles
		}
		if got, err := fst.PathSum(again, nil); err != nil || math.Abs(float64(got-want)) > 1e-9*math.Abs(float64(want)) {
			t.Errorf("the least cost is %v, %v, then %v", want, got, err)
		}
	})
}
