package org.amo.spring;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.base.observe.Readiness;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.EmbeddedGroup;

/** Groups whose members are all in the process of a test. They begin with the first injection, or with the application. */
final class EmbeddedGroups extends Groups {
    private static final Duration AGREEMENT = Duration.ofSeconds(10);

    private final int members;
    private final ServiceBeans services;
    private final Map<String, EmbeddedGroup> groups = new LinkedHashMap<>();
    private final Map<String, AmoClient> clients = new LinkedHashMap<>();
    private volatile boolean running;

    EmbeddedGroups(int members, ServiceBeans services) {
        super(services.settings());
        this.members = members;
        this.services = services;
    }

    @Override
    synchronized EmbeddedGroup embedded(String group) {
        EmbeddedGroup known = groups.get(group);
        if (known == null) {
            ServiceBean<?> service = Optional.ofNullable(services.all().get(group))
                    .orElseThrow(() -> new GroupStartException(
                            "@AmoTest embeds the groups of the application's services, which are "
                                    + services.all().keySet() + "; group " + group
                                    + " needs an @AmoService among the beans of the test"));
            known = GroupStartException.unless(() -> embed(service));
            groups.put(group, known);
        }
        return known;
    }

    private <T> EmbeddedGroup embed(ServiceBean<T> service) {
        return EmbeddedGroup.of(members, service.type(), service.objects());
    }

    @Override
    synchronized AmoClient client(String group) {
        EmbeddedGroup serving = embedded(group);
        return clients.computeIfAbsent(group, name -> serving.client());
    }

    /**
     * The groups whose members differ; waits for those that are behind.
     *
     * @throws IllegalStateException in one line if a service was different after a snapshot
     */
    synchronized List<String> differing() {
        return groups.entrySet().stream()
                .filter(each -> !each.getValue().awaitAgreement(AGREEMENT))
                .map(Map.Entry::getKey)
                .toList();
    }

    @Override
    public void start() {
        services.all().keySet().forEach(this::embedded);
        running = true;
    }

    /** The groups serve until the last bean is gone. */
    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    synchronized Map<String, Readiness> readiness() {
        Map<String, Readiness> all = new LinkedHashMap<>();
        groups.keySet().forEach(group -> all.put(group, Readiness.READY));
        return all;
    }

    @Override
    synchronized Map<String, Object> statuses() {
        Map<String, Object> all = new LinkedHashMap<>();
        groups.forEach((name, group) -> {
            Map<String, Object> ofGroup = new LinkedHashMap<>();
            group.members().forEach(id -> group.status(id).ifPresent(status -> ofGroup.put(id, status)));
            all.put(name, ofGroup);
        });
        return all;
    }

    @Override
    public synchronized void destroy() {
        groups.values().forEach(EmbeddedGroup::close);
        groups.clear();
        clients.clear();
    }
}
