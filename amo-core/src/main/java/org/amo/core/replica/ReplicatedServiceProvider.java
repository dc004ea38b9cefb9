package org.amo.core.replica;

import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.amo.core.order.OrderedLogException;

/** Opens replicas; found through {@link java.util.ServiceLoader}, so that shells need not know each other. */
public interface ReplicatedServiceProvider {

    /**
     * Joins the group and starts to serve. Returns when the member takes part; requests that it delivers again from an
     * earlier process may still be running.
     *
     * @param ended told, at most once and on a thread of its own, when a member that had joined stops because it may not
     *     take part any more; one line with cause and remedy
     * @throws OrderedLogException when it cannot join; one line with cause and remedy
     */
    ReplicatedService open(ReplicaSettings settings, ServantPort servant, Consumer<OrderedLogException> ended);

    /**
     * Takes calls of clients without connections for a service that this provider opened: each in one datagram, sealed with the group's
     * secret, at the UDP port with the number of the member's client port (docs/wire/first-call.md).
     *
     * @param fingerprints the fingerprint of a request body, as over a connection; empty if a client has to come over a connection with
     *     it. Asked in the thread of the datagrams, once the seal was checked; it must not block, and throws
     *     {@link org.amo.base.wire.MalformedFrameException} for a body that the members could not read
     * @return ends it
     * @throws OrderedLogException in one line when the port is taken
     */
    default Runnable takeDatagrams(
            ReplicaSettings settings, ReplicatedService service, Function<byte[], OptionalLong> fingerprints) {
        throw new UnsupportedOperationException("this replication takes no datagrams");
    }
}
