package org.amo.core.sim;

import java.util.function.Consumer;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.request.Answer;

/** One copy of a request on its own connection: the client hears of it once, by an answer or by the connection's end. */
final class FtsCopy implements AnswerListener {
    private final FtsNetwork network;
    private final SimProcess client;
    private final long clientLife;
    private final String label;
    private final Consumer<Answer> onAnswer;
    private final Runnable onLost;
    private final Runnable onRefused;
    private boolean closed;
    private boolean answered;
    private Consumer<FtsCopy> onReplicaAnswered = copy -> {};

    FtsCopy(
            FtsNetwork network,
            SimProcess client,
            String label,
            Consumer<Answer> onAnswer,
            Runnable onLost,
            Runnable onRefused) {
        this.network = network;
        this.client = client;
        this.clientLife = client.life();
        this.label = label;
        this.onAnswer = onAnswer;
        this.onLost = onLost;
        this.onRefused = onRefused;
    }

    String label() {
        return label;
    }

    SimProcess client() {
        return client;
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
            onAnswer.accept(answer);
        }
    }

    void lose() {
        if (!closed) {
            closed = true;
            onLost.run();
        }
    }

    void refuse() {
        if (!closed) {
            closed = true;
            onRefused.run();
        }
    }
}
