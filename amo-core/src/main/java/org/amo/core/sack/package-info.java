/** Selective acknowledgements: which numbers a client has finished (Friedman and Hadad, section 2). */
@NullMarked
package org.amo.core.sack;

import org.jspecify.annotations.NullMarked;
