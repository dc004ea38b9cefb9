package org.amo.core.replica;

import java.util.List;
import java.util.Optional;
import org.amo.core.client.ClientSession;
import org.amo.core.client.Delivery;
import org.amo.core.client.GroupClient;
import org.amo.core.client.Step;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.amo.sim.SimProcess;
import org.amo.sim.SimViolationException;

/** Asks for the outcomes of the calls that a former life of a client left open, as {@code AmoClient.recover} does. */
final class FtsRecoveringClient extends FtsGroupClient {
    private static final long WITHIN_MILLIS = 2_000;
    private static final long AGAIN_MICROS = 300_000;

    private final FtsIdentities.Life life;

    FtsRecoveringClient(FtsGroup group, SimProcess process, boolean repeats, FtsIdentities.Life life) {
        super(group, process, 0, repeats);
        this.life = life;
    }

    void recover() {
        begin(new ClientSession(life.id(), repeats ? Delivery.MAY_REPEAT : Delivery.AT_MOST_ONCE, life.open()::remove));
        for (FtsIdentities.Noted noted : List.copyOf(life.open().values())) {
            world.fault("recoveredCall");
            if (noted.isRefused()) {
                over(noted, "NOT_EXECUTED, as it was noted");
            } else {
                ask(noted);
            }
        }
    }

    @Override
    GroupClient.Datagrams datagrams(ClientSession session) {
        return GroupClient.Datagrams.NEVER;
    }

    private void ask(FtsIdentities.Noted noted) {
        if (group.isQuiet()) {
            return;
        }
        Call call = new Call(noted.token(), WITHIN_MILLIS);
        byte[] body = FtsServant.body(noted.token());
        if (group.identities().mutant() == FtsIdentities.Mutant.RECOVERED_RENUMBERED) {
            core().onCall(call, body, false, WITHIN_MILLIS, now(), wall());
        } else {
            core().onCallAs(noted.identity(), call, body, false, WITHIN_MILLIS, now(), wall());
        }
        arm();
    }

    private FtsIdentities.Noted noted(Call call) {
        return life.open().values().stream()
                .filter(each -> each.token() == call.token)
                .findFirst()
                .orElseThrow();
    }

    /** The application is told, and handles it in a while. */
    private void over(FtsIdentities.Noted noted, String outcome) {
        world.trace(() -> process.name() + ": recovers call " + noted.token() + " " + outcome);
        process.after(group.identities().handlingMicros(), () -> {
            core().finished(noted.identity());
            arm();
        });
    }

    @Override
    public void replied(Call caller, RequestId id, byte[] reply) {
        group.ledger().replied(caller.token, reply, true);
        over(noted(caller), "REPLY");
    }

    @Override
    public void notExecuted(Call caller, RequestId id, Optional<Refusal> reason, Optional<Budget> budget) {
        group.ledger().notExecuted(caller.token, "NOT_EXECUTED of a recovered call " + reason);
        over(noted(caller), "NOT_EXECUTED");
    }

    @Override
    public void unknown(Call caller, RequestId id, Optional<Refusal> reason) {
        FtsIdentities.Noted noted = noted(caller);
        if (reason.equals(Optional.of(Refusal.STALE))) {
            checkForgotten(noted);
        }
        if (reason.equals(Optional.of(Refusal.STALE)) || reason.equals(Optional.of(Refusal.ID_REUSED))) {
            group.callEnded(Step.Kind.UNKNOWN, repeats);
            over(noted, "UNKNOWN");
        } else {
            process.after(AGAIN_MICROS, () -> ask(noted));
        }
    }

    /** No client has acknowledged it. So the group has lost it, or has forgotten it as its time was up. */
    private void checkForgotten(FtsIdentities.Noted noted) {
        long timestamp = noted.identity().timestampMillis();
        long kept =
                Math.min(noted.identity().deadlineMillis(), timestamp + group.lifeMillis() - 2 * group.skewMillis());
        boolean expected = noted.groupLife() != group.life()
                || group.members().stream()
                        .map(FtsNode::status)
                        .anyMatch(status -> status.orderedTimeMillis() > kept || status.upperMillis() >= timestamp);
        if (!expected) {
            throw new SimViolationException(
                    FtsLedger.UNRECOVERED,
                    "call " + noted.token() + " "
                            + FtsGroup.show(noted.identity().id()) + " of " + process.name()
                            + " is STALE while the group should know it");
        }
    }

    @Override
    boolean isNoted(Call call) {
        return false;
    }
}
