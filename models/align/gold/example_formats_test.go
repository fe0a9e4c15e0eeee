package gold_test

import (
	"fmt"
	"log"
	"strings"

	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/gold"
)

// References of two sentences in the format of the shared tasks, in which all is counted from 1.
func ExampleReadWPT() {
	const text = "1 1 1 S\n1 2 2 P\n2 1 2\n"
	references, err := gold.ReadWPT(strings.NewReader(text), "test.wpt", 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range references {
		fmt.Println(r)
	}
	// Output:
	// 0-0 1?1
	// 0-1
}

// An alignment as other programs read it: sentence 5, counted from 1 as its words are.
func ExampleAppendWPT() {
	a, err := align.ParseAlignment("0-0 2-1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", gold.AppendWPT(nil, 4, gold.Reference{Sure: a}))
	// Output:
	// 0005 1 1 S
	// 0005 3 2 S
}

// Scores of a text are those of the sum of counts.
func ExampleCompare() {
	var all gold.Counts
	for links, reference := range map[string]string{"0-0 1-1": "0-0 1?1", "0-1": "0-0"} {
		a, err := align.ParseAlignment(links)
		if err != nil {
			log.Fatal(err)
		}
		r, err := gold.Parse(reference)
		if err != nil {
			log.Fatal(err)
		}
		all = all.Plus(gold.Compare(a, r))
	}
	fmt.Printf("precision %.2f, recall %.2f, AER %.2f\n", all.Precision(), all.Recall(), all.AER())
	// Output: precision 0.67, recall 0.50, AER 0.40
}
