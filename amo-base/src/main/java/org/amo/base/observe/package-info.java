/** The numbers of a member, a client or an endpoint as a monitoring system takes them, and whether it serves. */
@NullMarked
package org.amo.base.observe;

import org.jspecify.annotations.NullMarked;
