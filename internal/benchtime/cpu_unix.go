//go:build unix

package benchtime

import (
	"syscall"
	"time"
)

// CPU returns the processor time of this process, summed over all processors.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
