package org.amo.replication.rpc;

import java.util.Map;
import org.amo.base.ClientId;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.request.Principal;
import org.amo.core.sack.FinishedNumbers;

/**
 * Base of services behind a {@link FrameServer} that are not replicated: a subclass takes requests, and nothing else has a meaning
 * there. Ids of requests identify attempts of one connection only; a subclass that needs more has it in the body.
 */
public abstract class PlainService implements ReplicatedService {
    @Override
    public void submitPlain(
            byte[] body, long fingerprint, boolean oneway, Principal principal, AnswerListener listener) {
        throw new UnsupportedOperationException("clients of this service bring ids");
    }

    @Override
    public void acknowledge(ClientId client, FinishedNumbers finished) {
        // No reply is kept here.
    }

    @Override
    public ReplicaStatus status() {
        return new ReplicaStatus(
                "", "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Map.of(), Map.of(), 0, Map.of(), Map.of(), 0, 0,
                0, 0, 0, 0, 0, "", "", "", 0, 0, 0, 0, 0, "", "active", "", 1, Map.of(), Map.of());
    }

    @Override
    public void close() {
        // The owner of the state closes it.
    }
}
