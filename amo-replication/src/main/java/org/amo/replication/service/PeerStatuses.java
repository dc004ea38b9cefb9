package org.amo.replication.service;

import java.util.Optional;
import java.util.function.Supplier;
import org.amo.core.order.Member;
import org.amo.core.replica.Administration;
import org.amo.core.replica.AdministrationException;
import org.amo.core.replica.ObservedReplica;

/**
 * Asks the other members of a Java service as an operator does, over the port of their clients. Any thread.
 *
 * <p>The client is made by the first question: a weak secret takes a second of a processor, and most members show no page.
 */
final class PeerStatuses implements ObservedReplica.Peers {
    private final Supplier<OperatorClient> maker;
    private Optional<OperatorClient> made = Optional.empty();

    PeerStatuses(Supplier<OperatorClient> maker) {
        this.maker = maker;
    }

    @Override
    public String status(Member member) throws AdministrationException {
        return client().ask(member.host(), member.clientPort(), Administration.STATUS, "", TIMEOUT_MILLIS);
    }

    private synchronized OperatorClient client() {
        OperatorClient client = made.orElseGet(maker);
        made = Optional.of(client);
        return client;
    }
}
