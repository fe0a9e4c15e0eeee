package inorder

import (
	"context"
	"errors"
	"iter"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"
)

func count(n int, last error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		if last != nil {
			yield(0, last)
		}
	}
}

// square takes longer for some numbers than for others.
func square(i int) (int, error) {
	for range i * 7919 % 13 {
		runtime.Gosched()
	}
	return i * i, nil
}

func collect(s iter.Seq2[int, error]) (values []int, err error) {
	for v, e := range s {
		if e != nil {
			return values, e
		}
		values = append(values, v)
	}
	return values, nil
}

func TestMapKeepsOrder(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7} {
		for _, n := range []int{0, 1, 500} {
			got, err := collect(Map(t.Context(), count(n, nil), workers, square))
			if err != nil || len(got) != n {
				t.Fatalf("%d workers: %d results of %d, error %v", workers, len(got), n, err)
			}
			for i, v := range got {
				if v != i*i {
					t.Fatalf("%d workers: result %d is %d", workers, i, v)
				}
			}
		}
	}
}

func TestMapEndsAtAnError(t *testing.T) {
	bad := errors.New("bad")
	got, err := collect(Map(t.Context(), count(100, bad), 3, square))
	if !errors.Is(err, bad) || len(got) != 100 {
		t.Errorf("reading: %d results, error %v", len(got), err)
	}
	got, err = collect(Map(t.Context(), count(math.MaxInt, nil), 3, func(i int) (int, error) {
		if i == 40 {
			return 0, bad
		}
		return i, nil
	}))
	if !errors.Is(err, bad) || len(got) != 40 {
		t.Errorf("a line: %d results, error %v", len(got), err)
	}
}

func TestMapEndsWithItsContextAndItsCaller(t *testing.T) {
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	n := 0
	for _, err := range Map(ctx, count(math.MaxInt, nil), 3, square) {
		if n++; n == 30 {
			cancel(why)
		}
		if err != nil {
			if !errors.Is(err, why) {
				t.Errorf("error %v", err)
			}
			break
		}
	}
	if n < 30 || n > 31 {
		t.Errorf("%d results before the end", n)
	}
	for v := range Map(t.Context(), count(math.MaxInt, nil), 3, square) {
		if v > 50 {
			break
		}
	}
}

// TestMapAnswersAtOnce: the result of a line is available even if the next line is late.
func TestMapAnswersAtOnce(t *testing.T) {
	first := make(chan struct{})
	lines := func(yield func(int, error) bool) {
		if !yield(1, nil) {
			return
		}
		select {
		case <-first:
			yield(2, nil)
		case <-time.After(time.Minute):
			t.Error("no result without a further line")
		}
	}
	var got []int
	for v := range Map(t.Context(), lines, 2, square) {
		if got = append(got, v); len(got) == 1 {
			close(first)
		}
	}
	if !slices.Equal(got, []int{1, 4}) {
		t.Errorf("results %v", got)
	}
}

func BenchmarkMap(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		for range Map(b.Context(), count(1000, nil), 2, func(i int) (int, error) { return i, nil }) {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/line")
}
