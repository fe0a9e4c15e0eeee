package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/linegrammar"
	"example.org/pathsum/semiring"
)

// BenchmarkCompile compiles the grammars of both directions.
func BenchmarkCompile(b *testing.B) {
	states, arcs := 0, 0
	for b.Loop() {
		states, arcs = 0, 0
		for _, d := range grammars.Directions {
			g, err := grammars.Load(d, nil)
			if err != nil {
				b.Fatal(err)
			}
			states += g.Machine.NumStates()
			arcs += g.Machine.NumArcs()
		}
	}
	b.ReportMetric(float64(states), "states")
	b.ReportMetric(float64(arcs), "arcs")
}

// BenchmarkApply finds the best reading of every development line.
func BenchmarkApply(b *testing.B) {
	all := lines(b)
	for _, d := range grammars.Directions {
		grammarOf(b, d)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, x := range all {
			if _, err := grammarOf(b, x.Direction).Apply(x.Input, 1); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N*len(all))/b.Elapsed().Seconds(), "lines/s")
}

// together returns the acceptor of all development lines of a direction, as bytes.
func together(b *testing.B, d grammars.Direction) *fst.FST[semiring.Cost] {
	b.Helper()
	var paths []fst.Path[semiring.Cost]
	for _, x := range lines(b) {
		if x.Direction == d {
			labels := fst.ByteLabels(x.Input)
			paths = append(paths, fst.Path[semiring.Cost]{In: labels, Out: labels})
		}
	}
	f, err := fst.Expand(fst.StringMap(semiring.Tropical{}, paths), nil)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// BenchmarkCompose composes all lines at once with the exported machine of a direction, and
// connects the result, here and by OpenFst's tools. Both read the machine from a file.
func BenchmarkCompose(b *testing.B) {
	x := newOpenFst(b)
	for _, d := range grammars.Directions {
		f, err := os.Create(x.file("lines"))
		if err != nil {
			b.Fatal(err)
		}
		if err := fstio.WriteBinary(f, together(b, d), nil); err != nil {
			b.Fatal(err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
		sizes := [2]int{}
		b.Run(d.String()+"/pathsum", func(b *testing.B) {
			for b.Loop() {
				g, err := fstio.ReadBinaryFile(x.file(d.String()), semiring.Tropical{})
				if err != nil {
					b.Fatal(err)
				}
				in, err := fstio.ReadBinaryFile(x.file("lines"), semiring.Tropical{})
				if err != nil {
					b.Fatal(err)
				}
				r, err := fst.Connect(fst.Compose(in, g), &fst.Options{Limit: linegrammar.MaxStates})
				if err != nil {
					b.Fatal(err)
				}
				sizes[0] = r.NumArcs()
			}
			b.ReportMetric(float64(sizes[0]), "arcs")
		})
		b.Run(d.String()+"/OpenFst", func(b *testing.B) {
			seconds := 0.0
			for b.Loop() {
				cmd := exec.Command("fstcompose", "lines", d.String(), "composed")
				cmd.Dir = string(x)
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
				seconds += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
			}
			b.ReportMetric(seconds/float64(b.N), "cpu-s/op")
			b.StopTimer()
			composed, err := os.ReadFile(x.file("composed"))
			if err != nil {
				b.Fatal(err)
			}
			r, err := fstio.ReadBinary(bytes.NewReader(composed), semiring.Tropical{})
			if err != nil {
				b.Fatal(err)
			}
			sizes[1] = r.NumArcs()
			b.ReportMetric(float64(sizes[1]), "arcs")
		})
	}
}
