/** Requests, their ids, the answers of replicas and the calls of a client (Friedman and Hadad; docs/explanation/safety.md). */
@NullMarked
package org.amo.core.request;

import org.jspecify.annotations.NullMarked;
