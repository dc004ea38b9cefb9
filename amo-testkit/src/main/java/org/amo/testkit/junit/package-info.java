/** For the tests of a replicated Java service: {@link org.amo.testkit.junit.AmoCluster}. */
@NullMarked
package org.amo.testkit.junit;

import org.jspecify.annotations.NullMarked;
