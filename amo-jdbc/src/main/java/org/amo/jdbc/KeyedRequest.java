package org.amo.jdbc;

/**
 * A call, as a record of it needs it.
 *
 * @param key of the call
 * @param fingerprint of its request: SHA-256
 * @param options of the executor that runs it
 */
record KeyedRequest(IdempotencyKey key, byte[] fingerprint, OnceOptions options) {}
