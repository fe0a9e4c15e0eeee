// Package regression fits linear regressions to statistics that people release under local
// differential privacy (package moments/privacy).
//
// Least squares need only mean products: of features with each other and of each feature with
// the target. Each person clips the values to declared ranges, randomizes their products, and
// releases one record. Three mechanisms do this, each as published and with all of ε spent
// (tight). Coordinate release gives one bit for one product. Three-entry release gives one bit
// for a product with the target, or one for each of the three products of two features.
// Per-value response gives one for every product. The weights are their expectation given the
// products and the known covariance of the noise: both products and weights are shrunk towards
// their expectations without data (solve.go).
//
// There are many products of two features, and most are not informative. The mechanism called
// gradients does not need them (gradients.go, question.go). People are asked in rounds; each
// receives the current weights and is asked for the products of the features and the residual.
// For small ε the answer is a bit for each of a few products, clipped; for large ε it is the
// index and the sign of the largest, by randomized response. The more informative question is
// known in advance. The weights are updated by a Kalman filter. gradients-once has a single
// round, in which all weights are 0, so people need not wait for others.
//
// A Table has the data of many people, a Release is a mechanism for some ε, and Try tests
// releases on held-out rows.
//
// Sources: Raghunathan, Frostig, Duchi and Liang 2016, §7. For gradients in rounds Duchi,
// Jordan and Wainwright 2013, "Local privacy and statistical minimax rates".
package regression
