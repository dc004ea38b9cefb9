package org.amo.spring;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.amo.base.observe.Readiness;
import org.amo.observe.Observation;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoReplica;
import org.amo.replication.service.RecoveredCall;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.ClassUtils;

/** Groups whose other members are other processes. */
final class RemoteGroups extends Groups {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteGroups.class);
    private static final String IDENTITY = "amo.identity";
    private static final String OF_NETTY_4_2 = "io.netty.channel.MultiThreadIoEventLoopGroup";

    private final ServiceBeans services;
    private final ObjectProvider<BiConsumer<String, AmoReplica.Builder>> replicaCustomizers;
    private final ObjectProvider<BiConsumer<String, AmoClient.Builder>> clientCustomizers;
    private final ObjectProvider<BiConsumer<String, RecoveredCall>> recoveredCalls;
    private final Map<String, AmoClient> clients = new LinkedHashMap<>();
    private final List<Observation> observedClients = new ArrayList<>();
    private final Map<String, AmoReplica> replicas = new LinkedHashMap<>();

    /** Are told the calls of former processes; none before the start. Guarded by {@code clients}. */
    private List<BiConsumer<String, RecoveredCall>> handlers = List.of();

    private volatile boolean running;

    RemoteGroups(
            ServiceBeans services,
            ObjectProvider<BiConsumer<String, AmoReplica.Builder>> replicaCustomizers,
            ObjectProvider<BiConsumer<String, AmoClient.Builder>> clientCustomizers,
            ObjectProvider<BiConsumer<String, RecoveredCall>> recoveredCalls) {
        super(services.settings());
        this.services = services;
        this.replicaCustomizers = replicaCustomizers;
        this.clientCustomizers = clientCustomizers;
        this.recoveredCalls = recoveredCalls;
    }

    @Override
    AmoClient client(String group) {
        AmoClient made;
        List<BiConsumer<String, RecoveredCall>> late;
        synchronized (clients) {
            AmoClient known = clients.get(group);
            if (known != null) {
                return known;
            }
            made = GroupStartException.unless(() -> newClient(group));
            clients.put(group, made);
            observedClients.add(Observation.offer(made.observed()));
            late = handlers;
        }
        // The start did not know it: the bean that asks for it is lazy.
        late.forEach(each -> recover(group, made, each));
        return made;
    }

    private AmoClient newClient(String group) {
        checkNetty(RemoteGroups.class.getClassLoader());
        AmoClient.Builder builder = AmoClient.builder(settings().of(group, List.of("members")));
        identity(group).ifPresent(builder::identity);
        clientCustomizers.orderedStream().forEach(each -> each.accept(group, builder));
        return builder.build();
    }

    /** A folder belongs to one client. */
    private Optional<Path> identity(String group) {
        return settings().text(group, IDENTITY).map(folder -> Path.of(folder, group));
    }

    /** Members first, since the calls of former processes may need them. If it throws, Spring stops all that runs. */
    @Override
    public void start() {
        running = true;
        services.all().forEach(this::join);
        // Makes beans, which may ask for clients.
        List<BiConsumer<String, RecoveredCall>> told =
                recoveredCalls.orderedStream().toList();
        Map<String, AmoClient> made;
        synchronized (clients) {
            handlers = told;
            made = new LinkedHashMap<>(clients);
        }
        told.forEach(each -> made.forEach((group, client) -> recover(group, client, each)));
    }

    private <T> void join(String group, ServiceBean<T> service) {
        checkNetty(RemoteGroups.class.getClassLoader());
        T object = service.objects().get();
        AmoReplica joined = GroupStartException.unless(() -> {
            AmoReplica.Builder builder = AmoReplica.builder(settings().of(group, List.of("id", "members")))
                    .service(service.type(), object);
            replicaCustomizers.orderedStream().forEach(each -> each.accept(group, builder));
            return builder.start();
        });
        synchronized (replicas) {
            replicas.put(group, joined);
        }
    }

    /** Calls that the former process of this application left open. */
    private void recover(String group, AmoClient client, BiConsumer<String, RecoveredCall> handler) {
        if (identity(group).isPresent()) {
            int open = client.recover(call -> handler.accept(group, call));
            if (open > 0) {
                LOG.warn(
                        "group {} told no outcome of {} calls that the former process left open; the next start asks again",
                        group,
                        open);
            }
        }
    }

    /** Spring Boot 3.5 names a version for its own use, which an application without WebFlux does not have. */
    static void checkNetty(ClassLoader classes) {
        if (!ClassUtils.isPresent(OF_NETTY_4_2, classes)) {
            throw new GroupStartException(
                    "the class path has Netty before 4.2, which amo needs; set the property netty.version of Spring Boot's"
                            + " parent to 4.2, or import io.netty:netty-bom 4.2 before spring-boot-dependencies");
        }
    }

    @Override
    public void stop() {
        synchronized (clients) {
            handlers = List.of();
        }
        Map<String, AmoReplica> leaving;
        synchronized (replicas) {
            leaving = new LinkedHashMap<>(replicas);
            replicas.clear();
        }
        leaving.values().forEach(AmoReplica::close);
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    Map<String, Readiness> readiness() {
        Map<String, Readiness> all = new LinkedHashMap<>();
        services.all()
                .keySet()
                .forEach(group -> all.put(group, Readiness.not("the member has not joined, or has left")));
        members().forEach((group, member) -> all.put(group, member.health()));
        return all;
    }

    @Override
    Map<String, Object> statuses() {
        Map<String, Object> all = new LinkedHashMap<>();
        members().forEach((group, member) -> all.put(group, member.status()));
        return all;
    }

    private Map<String, AmoReplica> members() {
        synchronized (replicas) {
            return new LinkedHashMap<>(replicas);
        }
    }

    @Override
    public void destroy() {
        synchronized (clients) {
            observedClients.forEach(Observation::close);
            observedClients.clear();
            clients.values().forEach(AmoClient::close);
            clients.clear();
        }
    }
}
