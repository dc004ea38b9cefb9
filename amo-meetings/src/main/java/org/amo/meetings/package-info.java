/** For tests of structures that several threads touch. */
@NullMarked
package org.amo.meetings;

import org.jspecify.annotations.NullMarked;
