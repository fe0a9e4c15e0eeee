// Package regression fits linear regressions to statistics that people release under local
// differential privacy (package moments/privacy).
//
// Least squares need nothing but mean products: of features with each other and of each feature
// with the target. Everybody clips his values to declared ranges, randomizes his products, and
// releases one record. Three mechanisms do that, each as published and with all of ε spent
// (tight). Coordinate release gives one bit for one product. Three-entry release gives one bit
// for a product with the target, or one for each of the three products of two features.
// Per-value response gives one for every product. Of products and their noise, whose covariance
// is known, the weights are the expectation: products are pulled towards what is expected
// without data, and so are weights (solve.go).
//
// Products of two features are many, and most say nothing that is needed. The mechanism called
// gradients does without them (gradients.go, question.go). People are asked in rounds; each is
// told the weights so far and asked for the products of his features and his residual. For small
// ε he gives a bit for each of a few, clipped; for large ε he says, by randomized response, which
// is the largest, and its sign. What tells more is known before. The weights move as by a Kalman
// filter. gradients-once has a single round, in which all weights are 0 and nobody waits for
// others.
//
// A Table is the data of many people, a Release a mechanism for some ε, and Try a test of
// releases on rows that are held out.
//
// Sources: Raghunathan, Frostig, Duchi and Liang 2016, §7. For gradients in rounds Duchi,
// Jordan and Wainwright 2013, "Local privacy and statistical minimax rates".
package regression
