package org.amo.core.replica;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.amo.base.ClientId;
import org.amo.core.request.Principal;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.sack.NumberRanges;

/**
 * The ids under which a replica orders calls that came without one: one client for each principal, so that budgets see
 * the principals apart. An answered call is acknowledged at once. A caller without a call for a while is forgotten, and
 * gets a new id if it comes again. Volatile; one thread owns it.
 */
final class PlainCallers {
    private final ClientId first;
    private final Map<Principal, Caller> callers = new LinkedHashMap<>();
    private final Map<ClientId, Caller> byId = new HashMap<>();
    private long drawn;

    private static final class Caller {
        private final ClientId id;
        private final NumberRanges finished = new NumberRanges();
        private long number;
        private long underWay;
        private boolean unsent;
        private long usedAtMillis;

        private Caller(ClientId id) {
            this.id = id;
        }
    }

    /** @param first drawn at random: no other client has it or one of those that follow it */
    PlainCallers(ClientId first) {
        this.first = first;
    }

    /** The id of the next call of a principal. */
    RequestId nextId(Principal principal, long nowMillis) {
        Caller caller = callers.computeIfAbsent(principal, key -> {
            Caller made = new Caller(new ClientId(first.high(), first.low() + drawn++));
            byId.put(made.id, made);
            return made;
        });
        caller.usedAtMillis = nowMillis;
        caller.underWay++;
        return RequestId.own(caller.id, ++caller.number);
    }

    /** Whether this is the id of one of them. */
    boolean isOne(ClientId client) {
        return byId.containsKey(client);
    }

    /** The acknowledgements to send with a call that was just given its id. */
    FinishedNumbers finishedToSend(ClientId client) {
        Caller caller = Optional.ofNullable(byId.get(client)).orElseThrow();
        caller.unsent = false;
        return caller.finished.toFinished(0, FinishedNumbers.MAX_RANGES);
    }

    /** A call was answered; nothing happens if it is none of these. */
    void answered(RequestId id) {
        Caller caller = byId.get(id.client());
        if (caller != null) {
            caller.finished.add(id.number(), id.number());
            caller.underWay--;
            caller.unsent = true;
        }
    }

    /** Tells of all that was answered and not yet acknowledged, and forgets the callers without a call since then. */
    void flush(long unusedSinceMillis, BiConsumer<ClientId, FinishedNumbers> acknowledge) {
        for (Iterator<Caller> all = callers.values().iterator(); all.hasNext(); ) {
            Caller caller = all.next();
            if (caller.unsent) {
                acknowledge.accept(caller.id, finishedToSend(caller.id));
            } else if (caller.underWay == 0 && caller.usedAtMillis < unusedSinceMillis) {
                all.remove();
                byId.remove(caller.id);
            }
        }
    }
}
