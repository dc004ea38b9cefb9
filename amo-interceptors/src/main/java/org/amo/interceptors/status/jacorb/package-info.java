/**
 * What the status and its observers need of JacORB's own classes.
 */
@NullMarked
package org.amo.interceptors.status.jacorb;

import org.jspecify.annotations.NullMarked;
