package org.amo.core.replica;

import org.amo.base.ClientId;
import org.amo.core.request.Answer;
import org.amo.sim.SimProcess;
import org.amo.sim.SimViolationException;
import org.amo.sim.SimWorld;

/**
 * A client of another ORB with FT_REQUEST: sparse retention ids, an expiration time by its own wall clock, the same
 * request again to the next replica until it is answered or expired. It knows no acknowledgements, and no refusal
 * tells it that nothing ran.
 */
final class FtsForeignClient {
    private final FtsGroup group;
    private final SimWorld world;
    private final SimProcess process;
    private final ClientId id;

    FtsForeignClient(FtsGroup group, SimProcess process) {
        this.group = group;
        this.world = group.world();
        this.process = process;
        this.id = new ClientId(world.bits(), world.bits());
    }

    SimProcess process() {
        return process;
    }

    void start() {
        process.after(world.about(group.isCalm() ? 1_500_000 : 500_000), () -> {
            if (!group.isQuiet()) {
                new ForeignCall().send();
                start();
            }
        });
    }

    private final class ForeignCall implements FtsCopy.Sender {
        private final long token = group.newCall();
        private final long retentionId = world.bits() >>> 32;
        private final long startedMillis = world.nowMillis();
        private final long durationMillis = group.foreignTimeoutMillis();
        private final long expirationMillis = process.wallMillis() + durationMillis;
        private int replica = world.index(group.size());
        private boolean ended;

        private ForeignCall() {
            group.ledger().foreignCall(token);
            process.after(durationMillis * 1_000, () -> {
                if (!ended && group.mustSucceedForeign(startedMillis)) {
                    throw new SimViolationException(
                            FtsLedger.LOCKED_OUT,
                            "foreign call " + token + " of " + process.name() + " in a healed world");
                }
                ended = true;
            });
        }

        private void send() {
            FtsCopy copy = new FtsCopy(group.network(), process, "foreign call " + token, this);
            group.network()
                    .send(
                            copy,
                            replica,
                            true,
                            (node, arrived) -> node.onForeignCopy(id, retentionId, expirationMillis, token, arrived));
            process.after(400_000, copy::lose);
        }

        @Override
        public void onLost() {
            again();
        }

        @Override
        public void onAnswer(Answer answer) {
            world.trace(() -> process.name() + ": foreign call " + token + " hears " + answer.kind() + " "
                    + answer.refusal().map(Enum::name).orElse(""));
            if (answer.kind() == Answer.Kind.REPLY) {
                ended = true;
                group.ledger().replied(token, answer.reply(), false);
            } else {
                again();
            }
        }

        private void again() {
            replica = (replica + 1) % group.size();
            process.after(world.between(5_000, 60_000), () -> {
                if (!ended) {
                    send();
                }
            });
        }
    }
}
