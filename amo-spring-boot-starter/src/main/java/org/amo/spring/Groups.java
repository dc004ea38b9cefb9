package org.amo.spring;

import java.util.Map;
import org.amo.base.observe.Readiness;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.EmbeddedGroup;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * The groups of an application: its members, from {@link #start} to {@link #stop}, and its clients, from their first injection to {@link
 * #destroy}. Any thread.
 */
abstract class Groups implements SmartLifecycle, DisposableBean {
    /** Below the phases of Spring's web servers, which begin after members have joined, and have stopped before members leave. */
    private static final int BEFORE_WEB_SERVERS = DEFAULT_PHASE - 8_192;

    private final GroupSettings settings;

    Groups(GroupSettings settings) {
        this.settings = settings;
    }

    final GroupSettings settings() {
        return settings;
    }

    /** The client of a group, the same each time. */
    abstract AmoClient client(String group);

    /** A group whose members are all in this process. */
    EmbeddedGroup embedded(String group) {
        throw new GroupStartException(
                "@AmoProxy EmbeddedGroup: group " + group + " is not embedded; put @AmoTest on the test");
    }

    /** Whether the members here serve, by group. */
    abstract Map<String, Readiness> readiness();

    /** The statuses of the members here, by group. */
    abstract Map<String, Object> statuses();

    /** The value of an {@link AmoProxy} of this type. */
    final Object way(String named, Class<?> type) {
        String group = settings.group(named, "@AmoProxy " + type.getSimpleName());
        if (type == EmbeddedGroup.class) {
            return embedded(group);
        }
        AmoClient client = client(group);
        return type == AmoClient.class ? client : GroupStartException.unless(() -> client.proxy(type));
    }

    @Override
    public final int getPhase() {
        return BEFORE_WEB_SERVERS;
    }
}
