/**
 * Step 1 seen from outside: wrapped servers in processes of their own, clients over IIOP, kills and pauses.
 * docs/reference/coverage.md says which row of the promise each test holds.
 */
@NullMarked
package org.amo.lab.blackbox;

import org.jspecify.annotations.NullMarked;
