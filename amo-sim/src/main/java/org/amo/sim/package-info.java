/**
 * Deterministic simulation of the protocols: the cores run unchanged in virtual time, against a network, an ordered
 * log, clocks and processes that misbehave as one seed says. The seed alone reproduces a run. This package is the engine;
 * each simulation stands in the package of its core. In main code, so that users can run it from the command line.
 */
@NullMarked
package org.amo.sim;

import org.jspecify.annotations.NullMarked;
