// Package memtest checks how much memory a call allocates. The idea: a reader of files is
// robust only if no input, even with large sizes in its header, makes it allocate more than a
// stated multiple of its length.
package memtest

import (
	"runtime"
	"testing"
)

// slack is the allocation that any call may make: tables, errors, and the buffers of two texts
// that are read side by side (64 KiB each).
const slack = 160 << 10

// Bound calls do, whose input has the given number of bytes. It fails the test if do allocates
// more than factor times as many bytes plus 160 KiB, garbage included. Other goroutines must be
// idle.
func Bound(tb testing.TB, bytes, factor int, do func()) {
	tb.Helper()
	if got, most := Allocated(do), uint64(slack+factor*bytes); got > most {
		tb.Errorf("%d bytes allocated for %d of input, want at most %d", got, bytes, most)
	}
}

// Allocated returns the number of bytes that do allocates, garbage included.
func Allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
