/** The only classes of amo that touch JacORB's own classes; everything else uses {@code org.omg} alone. */
@NullMarked
package org.amo.interceptors.jacorb;

import org.jspecify.annotations.NullMarked;
