// Package archtest has no code: its tests assert the architecture of the module. They fail if a
// package imports a higher one, or a library that is not on the agreed list. They fail if code
// above the semirings calls their kernels, that is, runs its own recursion over arcs. And they
// fail if the top folder contains anything unexpected.
package archtest
