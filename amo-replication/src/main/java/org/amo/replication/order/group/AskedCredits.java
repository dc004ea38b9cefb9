package org.amo.replication.order.group;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.UFC;

/**
 * JGroups' flow control, for senders that look for room instead of waiting for it. Bytes that a member took before it had
 * installed the view with the sender are counted by the sender alone. Who waits for room asks for such credits in the
 * end; who only looks must ask here, or it sees no room for ever.
 *
 * <p>Any thread may call it.
 */
final class AskedCredits extends UFC {
    private static final long REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final Map<Address, Long> askedNanos = new ConcurrentHashMap<>();

    AskedCredits() {
        setId(ClassConfigurator.getProtocolId(UFC.class));
    }

    /** Whether so many credits are there for the member; if not, it is asked for the rest, twice a second at most. */
    boolean has(Address member, long wanted) {
        long lacks = wanted - getSenderCreditsFor(member);
        if (lacks <= 0) {
            return true;
        }
        long now = System.nanoTime();
        Long asked = askedNanos.get(member);
        if (asked == null || now - asked >= REPEAT_NANOS) {
            if (askedNanos.size() > 64) {
                askedNanos.clear(); // addresses of members long gone
            }
            askedNanos.put(member, now);
            sendCreditRequest(member, lacks);
        }
        return false;
    }
}
