package org.amo.cli;

import org.amo.base.ClientId;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;

/** A replica that the commands of an operator may ask, and no client. */
abstract class WithoutClients implements ReplicatedService {
    @Override
    public void submit(Request request, FinishedNumbers finished, AnswerListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void submitPlain(
            byte[] body, long fingerprint, boolean oneway, Principal principal, AnswerListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void acknowledge(ClientId client, FinishedNumbers finished) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        // Nothing runs.
    }
}
