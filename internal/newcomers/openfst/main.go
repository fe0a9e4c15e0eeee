// Command openfst reads and writes the files of OpenFst: symbols, machines in text and binary form.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
)

// Letters, a lexicon, and a typist who misses an a, hits s for c, and doubles a t.
var files = map[string]string{
	"letters.txt": "<eps> 0\na 1\nc 2\ns 3\nt 4\n",
	"words.txt":   "0 1 c c .5\n0 3 a a 1\n1 2 a a\n2 4 t t\n3 4 c c .25\n4 5 t t 2\n4\n5\n",
	"typist.txt":  "0 0 a a\n0 0 c c\n0 0 s s\n0 0 t t\n0 0 a <eps> 2\n0 0 c s 1.5\n0 1 t t 3\n1 0 <eps> t\n0\n",
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	dir, err := os.MkdirTemp("", "openfst")
	check(err)
	defer os.RemoveAll(dir)
	file := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range files {
		check(os.WriteFile(file(name), []byte(text), 0o644))
	}

	ring := semiring.Tropical{}
	letters, err := fstio.ReadSymbolsFile(file("letters.txt"))
	check(err)
	form := &fstio.Options{In: letters, Out: letters}
	words, err := fstio.ReadTextFile(file("words.txt"), ring, form)
	check(err)
	typist, err := fstio.ReadTextFile(file("typist.txt"), ring, form)
	check(err)

	// The binary form holds the symbols as well.
	typed := fst.Compose(words, typist)
	check(fstio.WriteBinaryFile(file("typed.fst"), typed, nil))
	again, err := fstio.ReadBinaryFile(file("typed.fst"), ring)
	check(err)
	same, err := fst.Equal(again, typed, nil)
	check(err)
	fmt.Printf("%d states, %d arcs, the same when read: %v\n", again.NumStates(), again.NumArcs(), same)

	best, err := fst.ShortestPaths(again, 3, nil)
	check(err)
	check(fstio.WriteTextFile(file("best.txt"), best, nil))
	text, err := os.ReadFile(file("best.txt"))
	check(err)
	fmt.Print(string(text))
	written, err := fst.BestText(again, "cat", nil)
	check(err)
	fmt.Println("cat is typed", written.Text, "at a cost of", written.Weight)
}
