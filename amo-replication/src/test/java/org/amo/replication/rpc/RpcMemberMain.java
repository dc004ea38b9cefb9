package org.amo.replication.rpc;

import org.amo.base.ClientId;
import org.amo.core.replica.ReplicaStatus;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.sack.FinishedNumbers;

/** A member in a process of its own that answers each request at once and orders nothing. Prints its port. */
public final class RpcMemberMain {
    private RpcMemberMain() {}

    public static void main(String[] arguments) throws Exception {
        FrameServer server = FrameServer.open(
                FrameServerOptions.builder("group", "a", body -> 1).build(), new Echo());
        System.out.println(server.port());
        Thread.currentThread().join();
    }

    private static final class Echo implements ReplicatedService {
        @Override
        public void submit(Request request, FinishedNumbers finished, AnswerListener listener) {
            listener.onAnswer(Answer.reply(new byte[] {7}, 1, 0));
        }

        @Override
        public void submitPlain(
                byte[] body, long fingerprint, boolean oneway, Principal principal, AnswerListener listener) {
            listener.onAnswer(Answer.reply(new byte[] {7}, 1, 0));
        }

        @Override
        public void acknowledge(ClientId client, FinishedNumbers finished) {
            // Nothing is kept.
        }

        @Override
        public ReplicaStatus status() {
            return HeldService.emptyStatus();
        }

        @Override
        public void close() {
            // The process ends.
        }
    }
}
