/** What a snapshot has to know of the JDK's collections so that they come back as they were. */
@NullMarked
package org.amo.core.state;

import org.jspecify.annotations.NullMarked;
