/** The access of the status and its observers to JacORB's own classes. */
@NullMarked
package org.amo.interceptors.status.jacorb;

import org.jspecify.annotations.NullMarked;
