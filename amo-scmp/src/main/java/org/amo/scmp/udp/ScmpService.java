package org.amo.scmp.udp;

import org.amo.scmp.ConnectionId;

/**
 * One operation of a server. Threads of the worker pool call it, several at once; as an inline service the event loop calls
 * it, and it must not wait. Calls of one client come in any order.
 *
 * <p>The server does not limit the time of a call: the client gives up at its timeout, and the call runs on. If the server is
 * closed or killed meanwhile, its next process does not run the call again.
 */
@FunctionalInterface
public interface ScmpService {
    /**
     * Runs once for each call that a client made, or not at all.
     *
     * @param caller the connection; its client id tells clients apart
     * @param arguments at most 65,455 bytes, not shared with anybody
     * @return not null, at most 65,455 bytes, not changed afterwards. Anything else reaches the client as a failure
     * @throws Exception as an {@link ScmpCallException} of the client, of kind SERVICE_FAILED with class and message, at most
     *     1,000 characters; the call counts as executed. The same holds for an {@code Error}
     */
    byte[] call(ConnectionId caller, byte[] arguments) throws Exception;
}
