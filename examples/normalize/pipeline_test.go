package main

import (
	"testing"

	"example.org/pathsum/internal/programtest"
)

func TestMain(m *testing.M) { programtest.Main(m, main) }

func TestPipeline(t *testing.T) {
	programtest.Pipeline{
		Name: "normalize", Train: "-train -iterations 1 -words 0", Lines: []string{"at 2 a.m.", "it costs $5"},
	}.Run(t)
}
