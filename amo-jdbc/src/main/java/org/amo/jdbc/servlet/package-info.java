/** The {@code Idempotency-Key} header, for services in a servlet container: {@link org.amo.jdbc.servlet.IdempotencyKeyFilter}. */
@NullMarked
package org.amo.jdbc.servlet;

import org.jspecify.annotations.NullMarked;
