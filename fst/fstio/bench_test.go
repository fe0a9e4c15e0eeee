package fstio_test

import (
	"bytes"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
)

// BenchmarkRead reads one machine in every form.
func BenchmarkRead(b *testing.B) {
	const states, arcs = 20_000, 10
	builder := fst.NewBuilder(tropical)
	builder.AddStates(states)
	builder.AddStart(0, tropical.One())
	for s := range int32(states) {
		for i := range int32(arcs) {
			builder.AddArc(s, fst.Arc[semiring.Cost]{In: i, Out: i + 1, To: (s*arcs + i) % states, Weight: semiring.Cost(i) / 8})
		}
		builder.SetFinal(s, 1)
	}
	f := must(builder.Freeze())(b)
	run := func(name string, write func(w *bytes.Buffer) error, read func(r *bytes.Reader) (*fst.FST[semiring.Cost], error)) {
		b.Run(name, func(b *testing.B) {
			var text bytes.Buffer
			if err := write(&text); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if g, err := read(bytes.NewReader(text.Bytes())); err != nil || g.NumArcs() != f.NumArcs() {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(states*arcs), "ns/arc")
		})
	}
	run("text", func(w *bytes.Buffer) error { return fstio.WriteText(w, f, nil) },
		func(r *bytes.Reader) (*fst.FST[semiring.Cost], error) { return fstio.ReadText(r, tropical, nil) })
	acceptor := fsttest.Frozen(fst.ProjectIn(f))
	run("standard/compact", func(w *bytes.Buffer) error {
		return fstio.WriteBinary(w, acceptor, &fstio.Binary{Container: fstio.CompactAcceptor})
	}, func(r *bytes.Reader) (*fst.FST[semiring.Cost], error) { return fstio.ReadBinary(r, tropical) })
	for _, form := range forms() {
		run(string(form.Arc)+"/"+string(form.Container), func(w *bytes.Buffer) error { return fstio.WriteBinary(w, f, &form) },
			func(r *bytes.Reader) (*fst.FST[semiring.Cost], error) { return fstio.ReadBinary(r, tropical) })
	}
}
