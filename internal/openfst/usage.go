package main

import (
	"runtime"
	"syscall"
)

// usage returns the processor time of this process in seconds, and its peak memory so far in
// megabytes.
func usage() (seconds, megabytes float64) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	unit := 1024.0 // bytes; depends on the system
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9, float64(u.Maxrss) * unit / 1e6
}
