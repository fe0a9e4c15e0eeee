// Package archtest has no code: its tests assert the architecture of the module. They fail
// when a package imports what lies above it, or a library outside the agreed few. They fail
// when code above the semirings calls their kernels, that is, runs a recursion over arcs of
// its own. And they fail when something unexpected lies at the top of the tree.
package archtest
