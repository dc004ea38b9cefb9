package org.amo.core.replica;

import org.amo.core.request.Answer;
import org.amo.sim.SimProcess;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;

/** A client that sends no ids at all: one message is one attempt, and a refusal says that it did not run. */
final class FtsPlainClient {
    private final FtsGroup group;
    private final SimWorld world;
    private final SimProcess process;

    FtsPlainClient(FtsGroup group, SimProcess process) {
        this.group = group;
        this.world = group.world();
        this.process = process;
    }

    void start() {
        process.after(world.about(group.isCalm() ? 1_000_000 : 500_000), this::call);
    }

    private void call() {
        if (group.isQuiet()) {
            return;
        }
        long token = group.newCall();
        long startedMillis = world.nowMillis();
        FtsCopy copy = new FtsCopy(group.network(), process, "plain call " + token, new FtsCopy.Sender() {
            @Override
            public void onAnswer(Answer answer) {
                FtsPlainClient.this.onAnswer(token, startedMillis, answer);
            }

            @Override
            public void onLost() {
                start();
            }
        });
        // Without an id a second arrival is a second call.
        group.network()
                .send(copy, world.index(group.size()), false, (node, arrived) -> node.onPlainCall(token, arrived));
        process.after(3_000_000, copy::lose);
    }

    private void onAnswer(long token, long startedMillis, Answer answer) {
        world.trace(() -> process.name() + ": plain call " + token + " hears " + answer.kind() + " "
                + answer.refusal().map(Enum::name).orElse(""));
        switch (answer.kind()) {
            case REPLY -> group.ledger().replied(token, answer.reply(), true);
            case REFUSED -> group.ledger().notExecuted(token, "plain call refused " + answer.refusal());
            case UNKNOWN -> {}
            default -> throw new IllegalStateException(answer.toString());
        }
        if (answer.kind() != Answer.Kind.REPLY && group.mustSucceed(startedMillis)) {
            throw new SimViolationException(
                    FtsLedger.LOCKED_OUT,
                    "plain call " + token + " is answered " + answer.kind() + " " + answer.refusal()
                            + " in a healed world");
        }
        start();
    }
}
