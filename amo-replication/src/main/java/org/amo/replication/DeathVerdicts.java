package org.amo.replication;

import java.util.List;
import java.util.Optional;
import org.amo.core.order.OrderedLog;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.Place;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ServantPort;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the core's verdicts on requests and timers that ended members
 * (docs/decisions/0041-requests-that-end-members.md): skips them or lets them go at the gate, asks for the state of a member that ran
 * them, and tells the operator. The owner of the replica owns it.
 */
final class DeathVerdicts {
    private static final Logger LOG = LoggerFactory.getLogger(DeathVerdicts.class);

    private final ReplicaSettings settings;
    private final OrderedLog log;
    private final ServantPort servant;
    private final ExecutionGate gate;
    private final ExecutionThread execution;

    private int statesAsked;
    private boolean toldOfFullQueue;

    DeathVerdicts(
            ReplicaSettings settings,
            OrderedLog log,
            ServantPort servant,
            ExecutionGate gate,
            ExecutionThread execution) {
        this.settings = settings;
        this.log = log;
        this.servant = servant;
        this.gate = gate;
        this.execution = execution;
    }

    /** @return the end of this member, if it has begun the request or timer: its state is worth nothing */
    Optional<OrderedLogException> skip(Place place) {
        LOG.warn(
                "group {} skips the {} of its log, which ended members; {}",
                settings.group(),
                place.named(),
                place.isTimer() ? "the timer is cancelled" : "its client is told that it did not run");
        if (!gate.skip(place)) {
            return Optional.empty();
        }
        return Optional.of(new OrderedLogException(
                OrderedLogException.Fault.ENVIRONMENT,
                "member " + settings.id() + " of group " + settings.group() + " had begun the " + place.named()
                        + ", which the group skipped; start it again, and it continues without that "
                        + (place.isTimer() ? "timer" : "request")));
    }

    void takeStateBehind(Place place, List<String> executedBy) {
        String donor = executedBy.get(statesAsked++ % executedBy.size());
        // Other work may have taken the memory of this member. A service without a state here has none at the donor.
        if (gate.diedOnce(place) || servant.stateObstacle().isPresent() || !log.takeStateOf(donor, place.position())) {
            letGo(place);
            return;
        }
        execution.bound();
        if (!execution.hasRoom() && !toldOfFullQueue) {
            toldOfFullQueue = true;
            LOG.warn(
                    "member {} waits for the state of another member behind the {}, and its queue is full: it takes no"
                            + " further entries until it has that state or runs the {} again; start the missing members",
                    settings.id(),
                    place.named(),
                    place.isTimer() ? "timer" : "request");
        }
    }

    void letGo(Place place) {
        LOG.warn(
                "the {} ended member {}, but ran elsewhere or earlier, so it is not skipped; the member runs it"
                        + " again: if that ends it again, start it with more memory or stack",
                place.named(),
                settings.id());
        gate.letGo(place);
    }

    void waitsForWord(Place place, String silent) {
        LOG.warn(
                "the {} of group {} ended members, and {} has not reported whether it ran"
                        + " there: calls wait for that; start the missing members",
                place.named(),
                settings.group(),
                silent);
    }
}
