//go:build unix

package program

import (
	"runtime"
	"syscall"
)

// resources is what the process has used so far.
type resources struct{ cpuSeconds, peakMiB float64 }

// usage returns the CPU time of all threads, user and system, and the largest
// resident set so far, as the system accounts for them.
func usage() resources {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return resources{}
	}
	unit := 1024.0 // bytes; the systems do not agree
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		unit = 1
	}
	return resources{
		cpuSeconds: float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9,
		peakMiB:    float64(u.Maxrss) * unit / (1 << 20),
	}
}
