package org.amo.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoReplica;
import org.amo.replication.service.RecoveredCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A member of a real group, with ports: the whole group, so that it is there at once. */
final class RemoteGroupsTest {
    private static final List<String> TOLD = new CopyOnWriteArrayList<>();

    @TempDir
    private Path folder = Path.of("unset");

    private final Member member = FreePorts.members(1).get(0);

    @Configuration(proxyBeanMethods = false)
    static class Customizers {
        @Bean
        BiConsumer<String, AmoReplica.Builder> membersOf() {
            return (group, builder) -> {
                TOLD.add("member of " + group);
                builder.withoutSnapshots();
            };
        }

        @Bean
        BiConsumer<String, AmoClient.Builder> clientsOf() {
            return (group, builder) -> {
                TOLD.add("client of " + group);
                builder.deadline(Duration.ofSeconds(30));
            };
        }
    }

    static final class Recovered implements BiConsumer<String, RecoveredCall> {
        @AmoProxy
        private Counters counters;

        @Override
        public void accept(String group, RecoveredCall call) {
            tell(group, call);
        }
    }

    private static void tell(String group, RecoveredCall call) {
        TOLD.add(group + ": " + call.method(Counters.class) + call.arguments(Counters.class) + " = "
                + call.result(Counters.class));
    }

    /** Its operations wait for the test. */
    static final class SlowCounters extends CountersInMemory {
        private static volatile CountDownLatch runs = new CountDownLatch(1);
        private static volatile CountDownLatch mayEnd = new CountDownLatch(1);

        @Override
        public long add(String name, long amount) {
            runs.countDown();
            try {
                assertTrue(mayEnd.await(30, TimeUnit.SECONDS), "the test forgot it");
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return super.add(name, amount);
        }
    }

    /** In the phase of a web server: it begins when the members serve, and they serve until it has ended. */
    static final class WebServer implements SmartLifecycle {
        private final Counters counters;
        private boolean running;

        WebServer(@AmoProxy Counters counters) {
            this.counters = counters;
        }

        @Override
        public void start() {
            running = true;
            TOLD.add("web server, " + counters.add("x", 1));
        }

        @Override
        public void stop() {
            TOLD.add("last request, " + counters.add("x", 1));
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return DEFAULT_PHASE - 2_048;
        }
    }

    @Test
    void aMemberServesFromBeforeTheWebServerToBehindIt() throws IOException {
        TOLD.clear();
        application(CountersInMemory.class, Customizers.class, WebServer.class).run(context -> {
            assertEquals(
                    "UP {counters=serves}",
                    context.getBean(HealthIndicator.class).health().toString());
            assertTrue(context.getBean(EndpointConfiguration.StatusEndpoint.class)
                    .statuses()
                    .toString()
                    .startsWith("{counters=ReplicaStatus[id=a, leader=a"));
            RemoteGroups groups = context.getBean(RemoteGroups.class);
            assertTrue(groups.isRunning());
            groups.stop();
            assertFalse(groups.isRunning());
            assertEquals(
                    "DOWN {counters=the member has not joined, or has left}",
                    context.getBean(HealthIndicator.class).health().toString());
            assertPortIsFree();
            groups.start();
        });
        assertPortIsFree();
        assertEquals(
                "client of counters; member of counters; web server, 1; member of counters; last request, 2",
                String.join("; ", TOLD));
    }

    private void leaveACallOpen() {
        TOLD.clear();
        SlowCounters.runs = new CountDownLatch(1);
        SlowCounters.mayEnd = new CountDownLatch(1);
        application(SlowCounters.class, Recovered.class).run(context -> {
            Counters counters = context.getBean(Recovered.class).counters;
            CompletableFuture<Long> open = CompletableFuture.supplyAsync(() -> counters.add("y", 5));
            assertTrue(SlowCounters.runs.await(30, TimeUnit.SECONDS), "the call does not run");
            context.getBean(RemoteGroups.class).destroy();
            assertThrows(ExecutionException.class, () -> open.get(30, TimeUnit.SECONDS));
            SlowCounters.mayEnd.countDown();
        });
        assertEquals(List.of(), TOLD);
    }

    @Test
    void theNextProcessIsToldTheCallsThatThisOneLeavesOpen() {
        leaveACallOpen();
        application(SlowCounters.class, Recovered.class)
                .run(context -> assertTrue(context.getBean(RemoteGroups.class).isRunning()));
        assertEquals(List.of("counters: add[y, 5] = 5"), TOLD);
    }

    @Configuration(proxyBeanMethods = false)
    static class ToldWithoutProxy {
        @Bean
        BiConsumer<String, RecoveredCall> told() {
            return RemoteGroupsTest::tell;
        }
    }

    /** As for a lazy bean: at the start nothing needs the client. */
    @Test
    void itIsToldWhenTheClientIsMadeLater() {
        leaveACallOpen();
        application(SlowCounters.class, ToldWithoutProxy.class).run(context -> {
            assertEquals(List.of(), TOLD);
            RemoteGroups groups = context.getBean(RemoteGroups.class);
            AmoClient client = groups.client("counters");
            assertEquals(List.of("counters: add[y, 5] = 5"), TOLD);
            assertSame(client, groups.client("counters"));
        });
    }

    @AmoService(group = "second")
    static final class Second extends CountersInMemory {}

    @Test
    void aTakenPortIsAFaultOfTheEnvironmentAndNoMemberIsLeft() throws IOException {
        Member second = FreePorts.members(1).get(0);
        try (ServerSocket taken = new ServerSocket(second.clientPort(), 1, InetAddress.getByName(second.host()))) {
            assertTrue(taken.isBound());
            application(CountersInMemory.class, Second.class)
                    .withPropertyValues(
                            "amo.groups.second.members=" + Member.format(List.of(second)),
                            "amo.groups.second.data=" + folder.resolve("second"))
                    .run(context -> {
                        GroupStartException why = assertInstanceOf(
                                GroupStartException.class,
                                context.getStartupFailure().getCause());
                        assertTrue(
                                String.valueOf(why.getMessage()).contains(":" + second.clientPort() + " "),
                                why.getMessage());
                        assertEquals(3, why.getExitCode());
                    });
        }
        assertPortIsFree();
    }

    /** As Spring Boot 3.5 has it. */
    @Test
    void nettyBefore42IsTold() {
        GroupStartException why = assertThrows(
                GroupStartException.class, () -> RemoteGroups.checkNetty(ClassLoader.getPlatformClassLoader()));
        assertTrue(String.valueOf(why.getMessage()).contains("netty.version"), why.getMessage());
        RemoteGroups.checkNetty(RemoteGroups.class.getClassLoader());
    }

    private ApplicationContextRunner application(Class<?>... parts) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        GroupsConfiguration.class, EndpointConfiguration.class, Boot3HealthConfiguration.class))
                .withUserConfiguration(parts)
                .withPropertyValues(
                        "amo.group=counters",
                        "amo.id=a",
                        "amo.members=" + Member.format(List.of(member)),
                        "amo.insecure=true",
                        "amo.log=file",
                        "amo.data=" + folder.resolve("data"),
                        "amo.identity=" + folder.resolve("identity"));
    }

    private void assertPortIsFree() throws IOException {
        try (ServerSocket free = new ServerSocket(member.clientPort(), 1, InetAddress.getByName(member.host()))) {
            assertTrue(free.isBound());
        }
    }
}
