// Package newcomers has eight programs as a new user would write them after reading the README
// and the package documentation.
//
// The test runs them, compares their output with output.txt next to each, and keeps them short:
// an interface that makes them longer, by errors to handle or steps to remember, is a worse
// interface.
//
//   - ownring: a semiring of one's own, and the best two ways through a town
//   - hidden: a cascade of three stages, trained by what the last one writes
//   - numbers: names of numbers, in both directions
//   - regexps: texts matched, rewritten and cut into tokens
//   - semimarkov: spells of weather whose lengths have a law of their own
//   - openfst: files of OpenFst, read, composed and written
//   - moments: a survey whose answers were randomized
//   - network: a Bayesian network with a hidden variable and missing cells
package newcomers
