/**
 * Selective acknowledgements: which numbers a client has finished (paper 004, section 2).
 */
@NullMarked
package org.amo.core.sack;

import org.jspecify.annotations.NullMarked;
