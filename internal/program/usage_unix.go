//go:build unix

package program

import (
	"runtime"
	"syscall"
)

// resources has the use of resources by the process so far.
type resources struct{ cpuSeconds, peakMiB float64 }

// usage returns the CPU time of all threads, user and system, and the largest resident set so
// far, as accounted by the system.
func usage() resources {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return resources{}
	}
	unit := 1024.0 // bytes; depends on the system
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		unit = 1
	}
	return resources{
		cpuSeconds: float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9,
		peakMiB:    float64(u.Maxrss) * unit / (1 << 20),
	}
}
