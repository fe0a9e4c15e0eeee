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

// TestRun: the program prints the expected output, including the comparison of bits.
func TestRun(t *testing.T) {
	for _, name := range []*string{pairs, romaji} {
		*name = filepath.Join("..", "..", *name)
	}
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"807 names in 63 shards", "iteration 4", "the bits of a run in one process"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &out)
		}
	}
}
