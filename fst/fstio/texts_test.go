package fstio_test

import (
	"bytes"
	"errors"
	"iter"
	"os"
	"os/exec"
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

type costs = *fst.FST[semiring.Cost]

// listed returns the machines of a sequence up to its error.
func listed(machines iter.Seq2[costs, error]) (list []costs, err error) {
	for f, err := range machines {
		if err != nil {
			return list, err
		}
		list = append(list, f)
	}
	return list, nil
}

// sequence returns machines as a sequence.
func sequence(machines []costs) iter.Seq2[costs, error] {
	return func(yield func(costs, error) bool) {
		for _, f := range machines {
			if !yield(f, nil) {
				return
			}
		}
	}
}

func TestReadTexts(t *testing.T) {
	for text, want := range map[string][]int{
		"":                         {0},
		"\n":                       {0},
		"--":                       {0, 0},
		"0\n--\n":                  {1, 0},
		"0 1 1 1\n--\n\n7 8 1 1\n": {2, 2},
		"--\n\n--\r\n3 4 0 0\n4":   {0, 0, 2},
	} {
		list, err := listed(fstio.ReadTexts(strings.NewReader(text), tropical, nil))
		var got []int
		for _, f := range list {
			got = append(got, f.NumStates())
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %d states, %v, want %d", text, got, err, want)
		}
	}
	for f, err := range fstio.ReadTexts(strings.NewReader("0\n--\nx"), tropical, nil) {
		if err != nil || f.NumStates() != 1 {
			t.Error(err)
		}
		break // before what is wrong
	}
	list, err := listed(fstio.ReadTexts(strings.NewReader("0\n--\n0\n--\n1\n1"), tropical, nil))
	var p *fstio.ParseError
	if len(list) != 2 || !errors.As(err, &p) || p.Line != 6 || !strings.HasPrefix(err.Error(), "line 6: ") {
		t.Errorf("%d machines, then %v", len(list), err)
	}
}

// Missing names are added to tables only if the options allow it.
func TestAdd(t *testing.T) {
	names := new(fst.Symbols)
	if err := names.Set("@0@", fst.Epsilon); err != nil {
		t.Fatal(err)
	}
	text := "0\t1\ta\t@0@\n1\n--\n0\t0\tb\ta\n0\n"
	o := &fstio.Options{In: names, Out: names}
	if _, err := listed(fstio.ReadTexts(strings.NewReader(text), tropical, o)); !errors.Is(err, fstio.ErrFormat) || names.Len() != 1 {
		t.Errorf("without Add: %v, %d names", err, names.Len())
	}
	o.Add = true
	list := must(listed(fstio.ReadTexts(strings.NewReader(text), tropical, o)))(t)
	if !slices.Equal(list[0].In(), []int32{1}) || !slices.Equal(list[0].Out(), []int32{0}) || !slices.Equal(list[1].In(), []int32{2}) || !slices.Equal(list[1].Out(), []int32{1}) {
		t.Errorf("labels %v:%v and %v:%v", list[0].In(), list[0].Out(), list[1].In(), list[1].Out())
	}
	var b strings.Builder
	if err := fstio.WriteTexts(&b, sequence(list), nil); err != nil || b.String() != text {
		t.Errorf("wrote %q, %v", b.String(), err)
	}
	full := new(fst.Symbols)
	if err := full.Set("last", 1<<31-1); err != nil {
		t.Fatal(err)
	}
	if _, err := fstio.ReadText(strings.NewReader("0 0 last x"), tropical, &fstio.Options{In: full, Out: full, Add: true}); !errors.Is(err, fstio.ErrFormat) {
		t.Errorf("a table that is full: %v", err)
	}
}

func TestWriteTexts(t *testing.T) {
	one := read(t, "0 1 1 2 3\n1", nil)
	broken := errors.New("broken")
	for name, x := range map[string]struct {
		machines iter.Seq2[costs, error]
		text     string
		err      error
	}{
		"none":      {sequence(nil), "", nil},
		"two":       {sequence([]costs{one, one}), "0\t1\t1\t2\t3\n1\n--\n0\t1\t1\t2\t3\n1\n", nil},
		"no paths":  {sequence([]costs{read(t, "", nil), one}), "--\n0\t1\t1\t2\t3\n1\n", nil},
		"an error":  {func(yield func(costs, error) bool) { yield(nil, broken) }, "", broken},
		"no column": {sequence([]costs{one, one.WithSymbols(fst.NewSymbols("a b"), nil)}), "", fst.ErrSymbol},
	} {
		var b bytes.Buffer
		if err := fstio.WriteTexts(&b, x.machines, nil); !errors.Is(err, x.err) || err == nil && b.String() != x.text {
			t.Errorf("%s: %q, %v", name, b.String(), err)
		} else if name == "no column" && !strings.HasPrefix(err.Error(), "fstio: machine 2: ") {
			t.Error(err)
		}
	}
	if err := fstio.WriteTexts(failing{}, sequence([]costs{one}), nil); err == nil {
		t.Error("the error of the writer is lost")
	}
}

// Machines that were written are read back, from files too, and the file may be the one that they
// are read from.
func TestTextsFile(t *testing.T) {
	for _, base := range []string{"x.att", "x.att.gz"} {
		name := filepath.Join(t.TempDir(), base)
		var machines []costs
		for seed := range uint64(20) {
			machines = append(machines, randomCosts(seed))
		}
		if err := fstio.WriteTextsFile(name, sequence(machines), nil); err != nil {
			t.Fatal(err)
		}
		if err := fstio.WriteTextsFile(name, fstio.ReadTextsFile(name, tropical, nil), nil); err != nil {
			t.Fatal(err)
		}
		list := must(listed(fstio.ReadTextsFile(name, tropical, nil)))(t)
		for i, f := range machines {
			if i >= len(list) || !slices.Equal(paths(list[i]), paths(f)) {
				t.Fatalf("machine %d of %d changed", i, len(list))
			}
		}
	}
	if _, err := listed(fstio.ReadTextsFile(filepath.Join(t.TempDir(), "missing"), tropical, nil)); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// randomCosts returns an acyclic machine with costs that are exact in 32 bits.
func randomCosts(seed uint64) costs {
	r := fsttest.Rand(seed)
	b := fst.NewBuilder(tropical)
	n := 1 + r.IntN(5)
	b.AddStates(n)
	b.AddStart(0, 0)
	for range r.IntN(8) {
		p, q := r.IntN(n), r.IntN(n)
		if p < q {
			b.AddArc(int32(p), fst.Arc[semiring.Cost]{To: int32(q), In: int32(r.IntN(3)), Out: int32(r.IntN(3)), Weight: semiring.Cost(r.IntN(8)) / 4})
		}
	}
	b.SetFinal(int32(n-1), semiring.Cost(r.IntN(4))/2)
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	return f
}

// HFST's tools, another implementation, read files of this package and write files that it reads.
// The test is skipped where they are not installed, unless the environment has
// PATHSUM_HFST=require.
func TestTextsOfHFST(t *testing.T) {
	for _, tool := range []string{"hfst-txt2fst", "hfst-fst2txt"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("PATHSUM_HFST") == "require" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	names := new(fst.Symbols)
	for label, name := range []string{"@0@", "a", "b"} {
		if err := names.Set(name, int32(label)); err != nil {
			t.Fatal(err)
		}
	}
	o := &fstio.Options{In: names, Out: names}
	var machines []costs
	for seed := range uint64(50) {
		machines = append(machines, must(fst.Connect(randomCosts(seed), nil))(t))
	}
	var text bytes.Buffer
	if err := fstio.WriteTexts(&text, sequence(machines), o); err != nil {
		t.Fatal(err)
	}
	there := exec.Command("hfst-txt2fst")
	there.Stdin = &text
	binary := must(there.Output())(t)
	back := exec.Command("hfst-fst2txt")
	back.Stdin = bytes.NewReader(binary)
	again := must(back.Output())(t)
	list := must(listed(fstio.ReadTexts(bytes.NewReader(again), tropical, o)))(t)
	if len(list) != len(machines) {
		t.Fatalf("%d machines, want %d", len(list), len(machines))
	}
	for i, f := range machines {
		if got, want := paths(list[i]), paths(f); !slices.Equal(got, want) {
			t.Errorf("machine %d: paths %v, want %v", i, got, want)
		}
	}
}

func FuzzReadTexts(f *testing.F) {
	for _, text := range []string{"", "--", "0 1 a b\n1\n--\n0 1 c @0@ 2\n1 .5", "--\n--\n--\n", "0\n----\n", "a\n--"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		names := fst.NewSymbols()
		o := &fstio.Options{In: names, Out: names, Add: true}
		var list []costs
		var err error
		memtest.Bound(t, len(text), perTexts, func() { list, err = listed(fstio.ReadTexts(strings.NewReader(text), tropical, o)) })
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := fstio.WriteTexts(&b, sequence(list), nil); err != nil {
			t.Fatal(err)
		}
		again, err := listed(fstio.ReadTexts(&b, tropical, o))
		if err != nil || len(again) != len(list) {
			t.Errorf("%d machines, then %d, %v", len(list), len(again), err)
		}
	})
}
