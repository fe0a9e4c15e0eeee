//go:build !unix

package program

import (
	"runtime"
	"runtime/metrics"
)

// resources has the use of resources by the process so far.
type resources struct{ cpuSeconds, peakMiB float64 }

// usage returns the runtime's estimates: the CPU time of Go code and of the
// garbage collector, and the memory obtained from the system, which never
// shrinks.
func usage() resources {
	runtime.GC() // CPU times are updated by a collection
	samples := []metrics.Sample{{Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}}
	metrics.Read(samples)
	var r resources
	if samples[0].Value.Kind() == metrics.KindFloat64 && samples[1].Value.Kind() == metrics.KindFloat64 {
		r.cpuSeconds = samples[0].Value.Float64() - samples[1].Value.Float64()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	r.peakMiB = float64(m.Sys) / (1 << 20)
	return r
}
