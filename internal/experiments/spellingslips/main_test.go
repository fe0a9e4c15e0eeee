package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/keyboard"
	"example.org/pathsum/internal/programtest"
	"example.org/pathsum/internal/speller"
	"example.org/pathsum/models/nbest"
)

var run = programtest.New(newProgram)

// TestSlips: slips are in short words in use, one each, reproducible by seed, and not words.
func TestSlips(t *testing.T) {
	lexicon := programtest.File(t, "lexicon", "cat\t20\nact\t30\nfour\t40\nrare\t1\nhouses\t90\nthe\t500\nhe\t50\no'c\t60\n")
	made := func() string {
		var stderr bytes.Buffer
		status, out := run(t.Context(), &stderr, "-quiet", "-lexicon", lexicon, "-slips", "300", "-seed", "7")
		if status != 0 {
			t.Fatal(&stderr)
		}
		return out
	}
	out := made()
	if made() != out {
		t.Error("the same seed gives other slips")
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	far := 0
	for _, line := range lines {
		w, m, ok := strings.Cut(line, "\t")
		if !ok || !slices.Contains([]string{"cat", "act", "four", "the"}, w) || slices.Contains([]string{"cat", "act", "four", "the", "he"}, m) {
			t.Errorf("%q", line)
		}
		d, err := nbest.EditDistance([]rune(w), []rune(m))
		if err != nil || d != 1 && (d != 2 || len(w) != len(m)) {
			t.Errorf("%s: %g edits, %v", line, d, err)
		}
		for i := range w {
			if len(w) == len(m) && d == 1 && w[i] != m[i] && keyboard.Distance(rune(w[i]), rune(m[i])) >= keyboard.Neighbours {
				far++
			}
		}
	}
	if len(lines) != 300 || far < 10 || far > 60 {
		t.Errorf("%d letters of %d words became ones far away", far, len(lines))
	}
}

func TestNoSlips(t *testing.T) {
	if _, err := slips([]speller.Word{{Text: "a", Count: 1}}, 1, 1); err == nil {
		t.Error("slips without short words")
	}
	if _, err := slips([]speller.Word{{Text: "cat", Count: 20}}, 1, 1); err != nil {
		t.Error(err)
	}
	var stderr bytes.Buffer
	if status, _ := run(t.Context(), &stderr); status != 2 || !strings.Contains(stderr.String(), "want -lexicon") {
		t.Errorf("status %d, %s", status, &stderr)
	}
}
