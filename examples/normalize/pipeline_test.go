package main

import (
	"os"
	"testing"

	"example.org/pathsum/internal/programtest"
)

func TestMain(m *testing.M) { programtest.Main(m, main) }

// TestUse: a trained model answers lines, and training resumes after an interrupt.
func TestUse(t *testing.T) {
	use := programtest.Use{
		Train: "-train -inverse -iterations 3 -words 0 -data data.tsv", Apply: "-inverse",
		Files: []string{"data.tsv", "spoken-written\tword\twait\twait\nwritten-spoken\tword\twait\twait\n"},
		Lines: []string{"at two thirty", "twenty two dollars"},
		Stop:  "training 2/",
	}
	if os.Getenv("PATHSUM_LONG") != "" {
		use.Train = "-train -iterations 3 -words 1 -data data.tsv"
	}
	programtest.Check(t, newProgram, use)
}
