package fstio_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Two machines in text form, composed, and the cheapest path of the result.
func Example() {
	ring := semiring.Tropical{}
	letters := fst.NewSymbols("a", "b", "c")
	options := &fstio.Options{In: letters, Out: letters}
	first, err := fstio.ReadText(strings.NewReader(`
0 1 a b 0.5
0 1 a c 1
1
`), ring, options)
	if err != nil {
		log.Fatal(err)
	}
	second, err := fstio.ReadText(strings.NewReader(`
0 1 b a 2
0 1 c b 1
1 0.25
`), ring, options)
	if err != nil {
		log.Fatal(err)
	}
	f, err := fst.Expand(fst.Compose(first, second), nil)
	if err != nil {
		log.Fatal(err)
	}
	cost, err := graph.PathSum(f.Graph())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("cost", cost)
	if err := fstio.WriteText(os.Stdout, f, nil); err != nil {
		log.Fatal(err)
	}
	// Output:
	// cost 2.25
	// 0	1	a	a	2.5
	// 0	1	a	b	2
	// 1	0.25
}

// A lexicon of spellings, and the spellings of the sounds of a word, the cheapest first.
func ExampleReadStringMap() {
	ring := semiring.Tropical{}
	lexicon, err := fstio.ReadStringMap(strings.NewReader("nait\tnight\t1\nnait\tknight\t2.5\nbrait\tbright\n"), ring, nil)
	if err != nil {
		log.Fatal(err)
	}
	for p, err := range fst.Apply(lexicon, fst.RuneLabels("nait"), nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(p.Out), p.Weight)
	}
	// Output:
	// night 1
	// knight 2.5
}

// A machine in OpenFst's binary form, written and read back. Its weights are −ln p, so a ring
// of probabilities has them as probabilities again.
func ExampleWriteBinary() {
	f, err := fst.Expand(fst.OneState(semiring.Real{}, .5, fst.Arc[float64]{In: 1, Out: 2, Weight: .25}), nil)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := fstio.WriteBinary(&file, f, &fstio.Binary{Container: fstio.Const}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.Len(), "bytes")
	again, err := fstio.ReadBinary(&file, semiring.Real{})
	fmt.Print(again, err)
	// Output:
	// 110 bytes
	// → 0
	// 0 1:2/0.25 → 0
	// 0/0.5 →
	//  <nil>
}

// An archive of machines with keys, as OpenFst's far tools have them.
func ExampleNewArchiveWriter() {
	var file bytes.Buffer
	w, err := fstio.NewArchiveWriter[semiring.Cost](&file, fstio.Table, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, word := range []string{"ant", "bee"} { // in the order of their keys
		if err := w.Add(word, fst.FromString(semiring.Tropical{}, fst.RuneLabels(word))); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	for entry, err := range fstio.ReadArchive(&file, semiring.Tropical{}) {
		fmt.Println(entry.Key, entry.FST.NumArcs(), err)
	}
	// Output:
	// ant 3 <nil>
	// bee 3 <nil>
}

// A table of symbols as text, and as bytes.
func ExampleWriteSymbols() {
	if err := fstio.WriteSymbols(os.Stdout, fst.NewSymbols("the", "cat")); err != nil {
		log.Fatal(err)
	}
	names, err := fstio.ReadSymbols(strings.NewReader("<eps> 0\nle 1\nchat 2\n"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(names.Encode("le", "chat"))
	var file bytes.Buffer
	if err := fstio.WriteBinarySymbols(&file, names); err != nil {
		log.Fatal(err)
	}
	again, err := fstio.ReadBinarySymbols(&file)
	fmt.Println(again.Equal(names), err)
	// Output:
	// <eps>	0
	// the	1
	// cat	2
	// [1 2] <nil>
	// true <nil>
}

// From text to OpenFst's binary form, and back.
func ExampleReadBinary() {
	// What fstcompile reads: an arc a line, from, to, reads, writes, weight; then final states.
	text := "0 1 1 2 .5\n0 0 3 3\n1\n"
	f, err := fstio.ReadText(strings.NewReader(text), semiring.Tropical{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := fstio.WriteBinary(&file, f, nil); err != nil {
		log.Fatal(err)
	}
	again, err := fstio.ReadBinary(&file, semiring.Tropical{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fst.Equal(f, again, nil))
	fmt.Println(fst.Weight(again, []int32{3, 1}, []int32{3, 2}, nil))
	// Output:
	// true <nil>
	// 0.5 <nil>
}

// For a line that is not an arc, the error contains the line number.
func ExampleReadText() {
	_, err := fstio.ReadText(strings.NewReader("0 1 1 2 .5\n0 one 1 2\n1\n"), semiring.Tropical{}, nil)
	fmt.Println(err)
	// Output: line 2: bad format: "one" is not a state number
}

// A machine that is made as it is asked for goes to a file, compressed, and back.
func ExampleWriteBinaryFile() {
	dir, err := os.MkdirTemp("", "machines")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "ab.fst.gz")
	ab := fst.FromString(semiring.Tropical{}, []int32{1, 2})
	if err := fstio.WriteBinaryFile(name, fst.Star(ab), nil); err != nil {
		log.Fatal(err)
	}
	f, err := fstio.ReadBinaryFile(name, semiring.Tropical{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.NumStates(), "states and", f.NumArcs(), "arcs")
	// Output: 4 states and 4 arcs
}

// Two machines in the form of HFST's tools, with names but without tables, which are built from the
// text.
func ExampleReadTexts() {
	names := new(fst.Symbols)
	if err := names.Set("@0@", fst.Epsilon); err != nil {
		log.Fatal(err)
	}
	text := "0\t1\tcat\tchat\t0.5\n1\n--\n0\t1\tchat\tsch\n1\t2\t@0@\tat\n2\n"
	var machines []*fst.FST[semiring.Cost]
	for f, err := range fstio.ReadTexts(strings.NewReader(text), semiring.Tropical{}, &fstio.Options{In: names, Out: names, Add: true}) {
		if err != nil {
			log.Fatal(err)
		}
		machines = append(machines, f)
	}
	if err := fstio.WriteText(os.Stdout, fst.Compose(machines[0], machines[1]), nil); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0	1	cat	sch	0.5
	// 1	2	@0@	at
	// 2
}

// A compact lattice of Kaldi, and its best words with the sounds scaled by a tenth.
func ExampleReadLattices() {
	text := "utt-1\n0\t1\t1\t2.5,-10,7_7_9\n0\t1\t2\t0.5,-5,7_8\n1\t0.25,0,4\n\n"
	o := &fstio.Lattices[semiring.Cost]{Weight: func(graph, sounds float64) semiring.Cost {
		return semiring.Cost(graph + sounds/10)
	}}
	for e, err := range fstio.ReadLattices(strings.NewReader(text), semiring.Tropical{}, o) {
		if err != nil {
			log.Fatal(err)
		}
		best, err := fst.BestPaths(e.FST, 1, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Key, best[0].Out, best[0].Weight)
	}
	// Output:
	// utt-1 [2] 0.25
}

// A machine in the text form of k2: scores are ln p, and the final state comes last.
func ExampleWriteK2() {
	f, err := fstio.ReadText(strings.NewReader("0 1 1 2 0.5\n1 1 3 0 2\n1 0.25\n"), semiring.Tropical{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := fstio.WriteK2(os.Stdout, f, fstio.Transducer); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 1 1 2 -0.5
	// 1 1 3 0 -2
	// 1 2 -1 -1 -0.25
	// 2
}
