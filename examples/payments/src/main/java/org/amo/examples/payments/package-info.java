/** A Spring service with exactly one row for each {@code Idempotency-Key}. */
package org.amo.examples.payments;
