package org.amo.jdbc;

import java.util.Optional;

/**
 * A record that another transaction has committed.
 *
 * @param fingerprint of the request that ran
 * @param reply empty if the work of that request ended the transaction by itself
 */
record StoredReply(byte[] fingerprint, Optional<byte[]> reply) {}
