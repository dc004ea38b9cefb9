package org.amo.interceptors.server;

import java.util.function.Consumer;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.MarkedServant;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ReplicatedServiceProvider;
import org.amo.core.replica.ServantPort;

/** Joins the members of one JVM by a {@link ToyGroup}. */
public final class ToyProvider implements ReplicatedServiceProvider {
    @Override
    public ReplicatedService open(ReplicaSettings settings, ServantPort servant, Consumer<OrderedLogException> ended) {
        if (settings.group().equals("broken")) {
            throw new OrderedLogException(
                    OrderedLogException.Fault.ENVIRONMENT, "port 7801 is taken; choose another in --members");
        }
        ServantPort marked = settings.nested() == ReplicaSettings.Nested.ORDERED
                ? ToyNestedCalls.of(settings.group()).around(settings.group(), servant)
                : new MarkedServant(settings, servant);
        return ToyGroup.named(settings.group()).join(settings.id(), marked);
    }
}
