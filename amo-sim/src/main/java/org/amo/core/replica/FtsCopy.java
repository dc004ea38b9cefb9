package org.amo.core.replica;

import java.util.function.Consumer;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.request.Answer;
import org.amo.sim.SimProcess;
import org.amo.sim.SimViolationException;

/**
 * One arrival of a request at a replica, and the way of the answer back. Its sender hears of it once, by an answer or by the
 * connection's end.
 */
final class FtsCopy implements AnswerListener {
    private final FtsNetwork network;
    private final SimProcess client;
    private final long clientLife;
    private final String label;
    private final Sender sender;
    private boolean closed;
    private boolean answered;
    private Consumer<FtsCopy> onReplicaAnswered = copy -> {};

    /** Receives the outcome of an attempt. */
    interface Sender {
        void onAnswer(Answer answer);

        /** No answer comes any more; the attempt may have arrived. */
        default void onLost() {}

        /** No process was there to take it. */
        default void onNotSent() {
            onLost();
        }

        /** A server took it and did not hand it to its replica. */
        default void onTurnedAway() {}
    }

    FtsCopy(FtsNetwork network, SimProcess client, String label, Sender sender) {
        this.network = network;
        this.client = client;
        this.clientLife = client.life();
        this.label = label;
        this.sender = sender;
    }

    /**
     * The same request once more, that no sender waits for.
     *
     * @param heard whether its answer reaches the sender, which takes it for the answer to this attempt
     */
    FtsCopy repeated(boolean heard) {
        FtsCopy original = this;
        return new FtsCopy(network, client, label + " repeated", answer -> {
            if (heard) {
                original.answer(answer);
            }
        });
    }

    String label() {
        return label;
    }

    /** The replica has it and owes an answer. */
    void arrived(Consumer<FtsCopy> whenAnswered) {
        onReplicaAnswered = whenAnswered;
    }

    /** The replica answers. */
    @Override
    public void onAnswer(Answer answer) {
        if (answered) {
            throw new SimViolationException(FtsLedger.UNANSWERED, label + " is answered twice");
        }
        answered = true;
        onReplicaAnswered.accept(this);
        network.reply(this, answer);
    }

    void toClient(long micros, Runnable action) {
        client.afterInLife(clientLife, micros, action);
    }

    void answer(Answer answer) {
        if (!closed) {
            closed = true;
            sender.onAnswer(answer);
        }
    }

    /** The sender waits no longer, or must not. */
    void lose() {
        if (!closed) {
            closed = true;
            sender.onLost();
        }
    }

    /** Its connection is gone, which its sender hears otherwise. */
    void close() {
        closed = true;
    }

    /** The server answers in its replica's place. */
    void turnAway() {
        toClient(1_000, () -> {
            if (!closed) {
                closed = true;
                sender.onTurnedAway();
            }
        });
    }

    void refuse() {
        if (!closed) {
            closed = true;
            sender.onNotSent();
        }
    }
}
