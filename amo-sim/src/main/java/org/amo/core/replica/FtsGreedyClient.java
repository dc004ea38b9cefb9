package org.amo.core.replica;

import org.amo.base.ClientId;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.sim.SimProcess;
import org.amo.sim.SimWorld;

/**
 * Takes all room that it can get: it never acknowledges, lets its requests live as long as the group allows, goes on
 * through every refusal, and invents ids. All its requests come from one principal.
 */
final class FtsGreedyClient {
    private final FtsGroup group;
    private final SimWorld world;
    private final SimProcess process;
    private final ClientId id;
    private long number;
    private long orderedTimeHeard;
    private long heardAtMillis;
    private long upperHeard = Answer.NO_BOUND;

    FtsGreedyClient(FtsGroup group, SimProcess process) {
        this.group = group;
        this.world = group.world();
        this.process = process;
        this.id = new ClientId(world.bits(), world.bits());
        this.orderedTimeHeard = process.wallMillis();
    }

    void start() {
        process.after(world.about(7_000), () -> {
            if (!group.isQuiet()) {
                call();
                start();
            }
        });
    }

    private void call() {
        long token = group.newCall();
        FtsCopy copy = new FtsCopy(group.network(), process, "greedy call " + token, answer -> onAnswer(token, answer));
        int kind = world.index(10);
        int member = world.index(group.size());
        if (kind == 0) {
            group.ledger().foreignCall(token);
            ClientId invented = new ClientId(world.bits(), world.bits());
            long expiration = process.wallMillis() + group.lifeMillis() - 2 * group.skewMillis();
            group.network()
                    .send(
                            copy,
                            member,
                            false,
                            (node, arrived) ->
                                    node.onForeignCopy(FtsGreed.GREEDY, invented, 1, expiration, token, arrived));
            return;
        }
        boolean fresh = kind < 4;
        ClientId client = fresh ? new ClientId(world.bits(), world.bits()) : id;
        long next = fresh ? 1 : ++number;
        group.unfinished((int) number);
        long timestamp = Math.max(upperHeard + 1, orderedTimeHeard + process.monotonicMillis() - heardAtMillis);
        Request request = new Request(
                RequestId.own(client, next),
                timestamp,
                timestamp + group.lifeMillis(),
                token,
                false,
                FtsServant.body(token));
        group.network()
                .send(
                        copy,
                        member,
                        false,
                        (node, arrived) -> node.onCopy(FtsGreed.GREEDY, request, FinishedNumbers.NONE, arrived));
    }

    private void onAnswer(long token, Answer answer) {
        if (answer.orderedTimeMillis() != 0) {
            orderedTimeHeard = answer.orderedTimeMillis();
            heardAtMillis = process.monotonicMillis();
            upperHeard = answer.upperMillis();
        }
        if (answer.kind() == Answer.Kind.REPLY) {
            group.ledger().replied(token, answer.reply(), false);
        }
    }
}
