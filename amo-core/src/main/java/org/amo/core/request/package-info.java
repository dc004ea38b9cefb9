/**
 * Requests, their ids, the answers of replicas and the calls of a client (paper 004; design rule about forgetting).
 */
@NullMarked
package org.amo.core.request;

import org.jspecify.annotations.NullMarked;
