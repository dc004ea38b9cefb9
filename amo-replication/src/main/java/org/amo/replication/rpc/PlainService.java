package org.amo.replication.rpc;

import java.util.Map;
import org.amo.base.ClientId;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.request.Principal;
import org.amo.core.sack.FinishedNumbers;

/** A service behind a {@link FrameServer} that is not replicated: only requests of clients that bring ids mean something. */
public abstract class PlainService implements ReplicatedService {
    @Override
    public void submitPlain(
            byte[] body, long fingerprint, boolean oneway, Principal principal, AnswerListener listener) {
        throw new UnsupportedOperationException("clients of this service bring ids");
    }

    @Override
    public void acknowledge(ClientId client, FinishedNumbers finished) {
        // Acknowledgements travel in the headers of calls.
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
