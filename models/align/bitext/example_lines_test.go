package bitext_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"example.org/pathsum/models/align/bitext"
)

// Something of one's own for each line, by two goroutines: how much longer is the translation?
// The results come in the order of the lines.
func ExampleMap() {
	lines := bitext.Read(strings.NewReader("I am here\nyes\n"), strings.NewReader("ich bin hier\nja doch\n"), nil)
	longer := func(l bitext.Line) (int, error) { return len(l.Target) - len(l.Source), l.Problem }
	for n, err := range bitext.Map(context.Background(), lines, 2, longer) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(n)
	}
	// Output:
	// 0
	// 1
}

// One file with both sides in each line. A line that cannot be aligned keeps its place.
func ExampleReadJoined() {
	lines, err := bitext.Collect(bitext.ReadJoined(strings.NewReader("the house ||| das Haus\nno translation\n"), nil))
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range lines {
		fmt.Println(l.Number, l.Source, l.Target, l.Problem != nil)
	}
	// Output:
	// 1 [the house] [das Haus] false
	// 2 [] [] true
}
