//go:build unix

package benchtime

import (
	"syscall"
	"time"
)

// CPU returns the time that all processors have spent on this process.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
