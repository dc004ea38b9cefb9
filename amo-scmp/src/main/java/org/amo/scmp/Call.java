package org.amo.scmp;

/**
 * A call as it arrived. Connection and timestamp are its id.
 *
 * @param connection chosen by the client
 * @param timestampMicros the same in all attempts
 * @param service 0 to 65,535
 * @param body arguments; must not be changed
 */
public record Call(ConnectionId connection, long timestampMicros, int service, byte[] body) {}
