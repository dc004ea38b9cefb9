package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.core.request.Refusal;
import org.amo.core.wire.RequestContext;
import org.amo.lab.blackbox.RawClient.Op;

/** F8: calls that nobody acknowledges, against a group of {@link ProbeServer}s. */
record TimeoutPurge(BankCluster group, long lifeMillis, long skewMillis) {

    void check() {
        group.awaitEverywhere("entries", 0);
        long purged = group.member(0).status().number("purgedByTimeout");
        List<RequestContext.Call> calls = new ArrayList<>();
        List<RawClient> oneShots = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            RawClient oneShot = new RawClient(group.reference()).learnNow(group.member(0));
            long timestamp = oneShot.timestamp();
            RequestContext.Call call = new RequestContext.Call(1, timestamp, timestamp + lifeMillis);
            oneShot.send(group.member(i % group.members().size()), call, Op.add(1))
                    .value();
            oneShots.add(oneShot);
            calls.add(call);
        }
        long last = calls.get(9).deadlineMillis() + skewMillis;
        group.awaitEqual();
        Status before = group.member(1).status();
        // On a busy machine the first may be due already.
        if (before.number("orderedTimeMillis") <= calls.get(0).deadlineMillis() + skewMillis) {
            assertEquals(10, before.number("entries"));
        }
        group.awaitEverywhere("entries", 0);
        for (MemberProcess member : group.processes()) {
            Status status = member.status();
            assertEquals(10, status.number("purgedByTimeout") - purged);
            long late = status.number("orderedTimeMillis") - last;
            assertTrue(late > 0 && late < 2_000, "purged " + late + " ms after deadline + skew");
        }
        for (int i = 0; i < 10; i++) {
            Giop.Reply copy =
                    oneShots.get(i).send(group.member(i % group.members().size()), calls.get(i), Op.add(1));
            assertEquals(Optional.of(Refusal.STALE), copy.amo().refusal(), copy::toString);
        }
    }
}
