package org.amo.scmp.udp;

import org.amo.scmp.ConnectionId;

/** One operation of a server. Threads of the worker pool call it, several at once. */
@FunctionalInterface
public interface ScmpService {
    /**
     * Runs once for each call that a client made, or not at all.
     *
     * @param caller the connection; its client id tells clients apart
     * @param arguments at most 65,455 bytes, not shared with anybody
     * @return at most 65,455 bytes, not changed afterwards
     * @throws Exception its message becomes the client's {@link ScmpCallException}; the call counts as executed
     */
    byte[] call(ConnectionId caller, byte[] arguments) throws Exception;
}
