package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"example.org/pathsum/em/beam"
)

func TestMain(m *testing.M) {
	log.LogLevel = "error"
	beam.Init()
	os.Exit(m.Run())
}

// TestRun: the program prints the expected output, including the comparison of bits, in each mode.
func TestRun(t *testing.T) {
	*text = filepath.Join("..", "..", *text)
	*iterations = 2
	for _, *how = range []string{"multiplied", "averaged", "separately"} {
		var out strings.Builder
		if err := run(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"90 sentences in 63 shards", "stage 1, iteration 1", "the bits of a run in one process"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: it does not say %q:\n%s", *how, want, &out)
			}
		}
	}
	*how = "otherwise"
	if err := run(t.Context(), &strings.Builder{}); err == nil {
		t.Error("an unknown way is no error")
	}
}
