/** Asks a replica how it is, over the port that serves its clients. */
@NullMarked
package org.amo.interceptors.status;

import org.jspecify.annotations.NullMarked;
