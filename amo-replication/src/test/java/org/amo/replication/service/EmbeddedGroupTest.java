package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class EmbeddedGroupTest {
    enum Colour {
        RED,
        GREEN
    }

    record Item(String name, int count, Optional<Colour> colour, List<Item> parts) {}

    static final class SoldOut extends Exception {
        private static final long serialVersionUID = 1L;

        public SoldOut(String message) {
            super(message);
        }
    }

    interface Shop {
        int put(Item item);

        Map<String, Item> items();

        Item take(String name) throws SoldOut;

        @Oneway
        void clear();

        Instant time();

        int roll();

        void callYourself();
    }

    private final class ShopService implements Shop {
        private final Map<String, Item> items = new HashMap<>();

        @Override
        public int put(Item item) {
            items.put(item.name(), item);
            return items.size();
        }

        @Override
        public Map<String, Item> items() {
            return items;
        }

        @Override
        public Item take(String name) throws SoldOut {
            Item found = items.remove(name);
            if (found == null) {
                throw new SoldOut("no more " + name);
            }
            return found;
        }

        @Override
        public void clear() {
            items.clear();
        }

        @Override
        public Instant time() {
            return ReplicaContext.current().time();
        }

        @Override
        public int roll() {
            return ReplicaContext.current().random().nextInt(1_000_000);
        }

        @Override
        public void callYourself() {
            other.put(new Item("x", 1, Optional.empty(), List.of()));
        }
    }

    private Shop other = new ShopService();

    @Test
    void aGroupWhoseServiceCannotBeMadeSaysSo() {
        assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> assertThrows(
                        NoClassDefFoundError.class,
                        () -> EmbeddedGroup.ofHandler(3, () -> {
                            throw new NoClassDefFoundError("planted");
                        })));
    }

    @Test
    void aTypedServiceAnswersItsInterfaceAndAllMembersStayEqual() throws Exception {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Shop.class, ShopService::new)) {
            Shop shop = group.client().proxy(Shop.class);
            other = group.client().proxy(Shop.class);
            Item chair = new Item(
                    "chair", 2, Optional.of(Colour.GREEN), List.of(new Item("leg", 4, Optional.empty(), List.of())));
            assertEquals(1, shop.put(chair));
            assertEquals(Map.of("chair", chair), shop.items());
            assertEquals(chair, shop.take("chair"));
            SoldOut why = assertThrows(SoldOut.class, () -> shop.take("chair"));
            assertEquals("no more chair", why.getMessage());
            for (int i = 0; i < 50; i++) {
                shop.put(new Item("item" + i, i, Optional.empty(), List.of()));
            }
            assertTrue(shop.roll() != shop.roll());
            assertTrue(!shop.time().isBefore(Instant.now().minusSeconds(60)));
            assertEquals(50, shop.items().size());
            shop.clear();
            assertEquals(0, shop.items().size());
            AmoServiceException refused = assertThrows(AmoServiceException.class, shop::callYourself);
            assertTrue(refused.getMessage().contains("of its own group"), refused.getMessage());
            assertTrue(group.awaitAgreement(Duration.ofSeconds(10)));
        }
    }

    @Test
    void nothingIsLostOrDoubledWhileMembersCrashAndComeBack() throws Exception {
        try (EmbeddedGroup group = EmbeddedGroup.ofHandler(3, Adder::new)) {
            AmoClient client = group.client();
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            for (int i = 0; i < 600; i++) {
                calls.add(client.callAsync(new byte[] {1}).toCompletableFuture());
                if (i % 100 == 50) {
                    group.crash(group.members().get(i / 100 % 3));
                } else if (i % 100 == 90) {
                    group.restart(group.members().get(i / 100 % 3));
                }
            }
            for (CompletableFuture<byte[]> call : calls) {
                call.get(20, TimeUnit.SECONDS);
            }
            assertEquals("601", new String(client.call(new byte[] {1}), StandardCharsets.UTF_8));
            assertTrue(group.awaitAgreement(Duration.ofSeconds(10)));
        }
    }

    private static final class Adder implements AmoHandler {
        private long sum;

        @Override
        public byte[] handle(byte[] request, ReplicaContext context) {
            sum += request[0];
            return Long.toString(sum).getBytes(StandardCharsets.UTF_8);
        }
    }

    /** Its thread is gone by then: each call has to be refused by whoever makes it, not the first one only. */
    @Test
    void everyCallOfAClosedClientIsRefusedAtOnce() {
        try (EmbeddedGroup group = EmbeddedGroup.ofHandler(1, Adder::new)) {
            ScheduledExecutorService owner = Executors.newSingleThreadScheduledExecutor();
            ClientId id = AmoClient.Builder.drawId();
            AmoClient client = AmoClient.builder("embedded")
                    .insecure()
                    .build(id, group.members(), owner, new LocalLinks(group, owner, id), owner::shutdownNow);
            client.call(new byte[] {1});
            client.close();
            client.close();
            for (int i = 0; i < 3; i++) {
                CompletableFuture<byte[]> call =
                        client.callAsync(new byte[] {1}).toCompletableFuture();
                ExecutionException why = assertThrows(ExecutionException.class, () -> call.get(5, TimeUnit.SECONDS));
                assertEquals(AmoNotExecutedException.class, why.getCause().getClass());
            }
        }
    }

    @Test
    void aCallWithoutMembersEndsAtItsDeadlineAndSaysThatItDidNotRun() {
        try (EmbeddedGroup group = EmbeddedGroup.ofHandler(3, Adder::new)) {
            AmoClient client = group.client(Duration.ofMillis(300));
            client.call(new byte[] {1});
            group.members().forEach(group::crash);
            long began = System.nanoTime();
            AmoNotExecutedException why =
                    assertThrows(AmoNotExecutedException.class, () -> client.call(new byte[] {1}));
            assertEquals(Optional.empty(), why.reason());
            assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(5));
        }
    }

    @Test
    void bytesThatNoProxyWroteGetOneClearLine() {
        try (EmbeddedGroup group = EmbeddedGroup.of(1, Shop.class, ShopService::new)) {
            AmoClient client = group.client();
            AmoServiceException raw = assertThrows(AmoServiceException.class, () -> client.call(new byte[] {7}));
            assertTrue(raw.getMessage().contains("AmoClient.proxy(Shop.class)"), raw.getMessage());
            AmoServiceException other = assertThrows(
                    AmoServiceException.class, () -> client.proxy(Newer.class).put("chair"));
            assertTrue(other.getMessage().contains("run the same version"), other.getMessage());
            assertEquals(1, other.getMessage().lines().count());
        }
    }

    interface Newer {
        int put(String name);
    }

    interface Unusable {
        Thread run();
    }

    @Test
    void aTypeThatCannotBeCarriedIsNamedAtStart() {
        IllegalArgumentException why = assertThrows(
                IllegalArgumentException.class, () -> EmbeddedGroup.of(1, Unusable.class, () -> () -> null));
        assertTrue(why.getMessage().startsWith("Unusable.run: amo does not carry the type java.lang.Thread"));
    }
}
