package bitext_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"example.org/pathsum/models/align"
	"example.org/pathsum/models/align/bitext"
)

// Train once, align later: a model learns from one text, is saved and loaded, and
// aligns another text line by line.
func Example() {
	ctx := context.Background()
	e := "the house\nthe small house\na house\na small dog\nthe dog\n\nhere is the small dog\n"
	f := "das haus\ndas kleine haus\nein haus\nein kleiner hund\nder hund\nwer\nhier ist der kleine hund\n"
	corpus := align.NewCorpus()
	for line, err := range bitext.Read(strings.NewReader(e), strings.NewReader(f), nil) {
		if err != nil {
			log.Fatal(err)
		}
		if line.Problem != nil {
			fmt.Println("skipped:", line.Problem)
			continue
		}
		if err := corpus.AddLine(line.Number, line.Sentence); err != nil {
			log.Fatal(err)
		}
	}
	model, err := align.New(corpus, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := model.Fit(ctx, corpus, nil); err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := model.Save(&file); err != nil {
		log.Fatal(err)
	}

	if model, err = align.Load(&file); err != nil {
		log.Fatal(err)
	}
	source := strings.NewReader("here is the house\n\na dog\n")
	target := strings.NewReader("hier ist das haus\nnichts\nein hund\n")
	lines := bitext.Read(source, target, nil)
	aligner := func(s align.Sentence) (align.Alignment, error) {
		forward, backward, err := model.Posteriors(s)
		if err != nil {
			return nil, err
		}
		return align.Average(forward, backward).Align(.5), nil
	}
	report := func(problem error) { fmt.Println("not aligned:", problem) }
	stats, err := bitext.Align(ctx, os.Stdout, lines, aligner, 2, report)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.Aligned, "of", stats.Lines, "lines")
	// Output:
	// skipped: E:6: empty line
	// not aligned: E:2: empty line
	// 0-0 1-1 2-2 3-3
	//
	// 0-0 1-1
	// 2 of 3 lines
}
