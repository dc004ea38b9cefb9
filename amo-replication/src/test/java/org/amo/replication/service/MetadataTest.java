package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.amo.base.ClientId;
import org.amo.base.wire.WireWriter;
import org.amo.core.client.ClientCall;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings;
import org.amo.core.request.RequestId;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Metadata of calls, and code around calls at the client and the members. */
@Timeout(60)
final class MetadataTest {
    static final class NoTenant extends Exception {
        private static final long serialVersionUID = 1L;

        public NoTenant(String message) {
            super(message);
        }
    }

    interface Shop {
        String buy(String what) throws NoTenant;

        @ReadOnly
        String tenants() throws NoTenant;

        @Oneway
        void note(String what);

        @ReadOnly
        String notes();
    }

    interface ShopLater {
        CompletionStage<String> buy(String what);
    }

    private static final class ShopInMemory implements Shop {
        private final Map<String, Integer> byTenant = new TreeMap<>();
        private String notes = "";

        @Override
        public String buy(String what) {
            Map<String, String> metadata = ReplicaContext.current().metadata();
            byTenant.merge(metadata.getOrDefault("tenant", "nobody"), 1, Integer::sum);
            return what + metadata;
        }

        @Override
        public String tenants() {
            return byTenant + " for " + ReplicaContext.current().metadata();
        }

        @Override
        public void note(String what) {
            notes += what + ReplicaContext.current().metadata();
        }

        @Override
        public String notes() {
            return notes;
        }
    }

    private static CallOptions tenant(String name) {
        return CallOptions.defaults().metadata("tenant", name);
    }

    @Test
    void theServiceFindsTheMetadataOfCallsReadsAndOneways() throws Exception {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Shop.class, ShopInMemory::new)) {
            AmoClient client = group.client();
            AmoCalls ofTenant = client.with(tenant("a").metadata("trace", "7"));
            assertEquals("tea{tenant=a, trace=7}", ofTenant.proxy(Shop.class).buy("tea"));
            assertEquals("tea{}", client.proxy(Shop.class).buy("tea"));
            assertEquals(
                    "milk{tenant=b}",
                    client.with(tenant("b"))
                            .proxy(ShopLater.class)
                            .buy("milk")
                            .toCompletableFuture()
                            .get(20, TimeUnit.SECONDS));
            assertEquals(
                    "{a=1, b=1, nobody=1} for {tenant=c}",
                    client.with(tenant("c")).proxy(Shop.class).tenants());
            client.with(tenant("d")).proxy(Shop.class).note("x");
            assertEquals(
                    "milk{tenant=d}", client.with(tenant("d")).proxy(Shop.class).buy("milk"));
            await().until(() -> client.proxy(Shop.class).notes().equals("x{tenant=d}"));
            assertTrue(group.awaitAgreement(Duration.ofSeconds(10)));
        }
    }

    @Test
    void metadataHasOneOrderAtAllMembersHoweverItWasWritten() {
        byte[] request = {(byte) 0xA1, 1, 2};
        WireWriter writer = new WireWriter(64);
        writer.u8(0xA2);
        writer.varint(3);
        for (String each : List.of("z", "1", "a", "2", "m", "3")) {
            writer.text(each);
        }
        writer.raw(request, 0, request.length);
        Envelope read = Envelope.of(writer.toBytes());
        assertEquals(List.of("a", "m", "z"), List.copyOf(read.metadata().keySet()));
        assertArrayEquals(request, read.request());
        assertThrows(UnsupportedOperationException.class, () -> read.metadata().clear());
    }

    @Test
    void callsWithoutMetadataAreWrittenAsBefore() {
        byte[] request = {(byte) 0xA1, 1, 2};
        assertArrayEquals(request, new Envelope(Map.of(), request).toBytes());
        Envelope plain = Envelope.of(request);
        assertEquals(Map.of(), plain.metadata());
        assertArrayEquals(request, plain.request());
        byte[] golden = {(byte) 0xA2, 1, 1, 'k', 1, 'v', (byte) 0xA1, 1, 2};
        assertArrayEquals(golden, new Envelope(Map.of("k", "v"), request).toBytes());
    }

    /** The requests of a handler may begin with any byte. */
    @Test
    void metadataIsForProxiesAlone() {
        try (EmbeddedGroup group = EmbeddedGroup.ofHandler(1, () -> (request, context) -> request)) {
            AmoClient client = group.client();
            byte[] likeMetadata = {(byte) 0xA2, 1, 1, 'k', 1, 'v', 9};
            assertArrayEquals(likeMetadata, client.call(likeMetadata));
            assertArrayEquals(
                    new byte[] {1}, client.with(CallOptions.defaults()).call(new byte[] {1}));
            IllegalArgumentException why = assertThrows(IllegalArgumentException.class, () -> client.with(tenant("a"))
                    .call(new byte[] {1}));
            assertTrue(String.valueOf(why.getMessage()).contains("proxy"), why.getMessage());
        }
    }

    @Test
    void metadataHasBounds() {
        CallOptions most = CallOptions.defaults();
        for (int i = 0; i < 64; i++) {
            most = most.metadata("key " + i, "");
        }
        CallOptions full = most;
        assertEquals(64, full.metadata().size());
        assertThrows(IllegalArgumentException.class, () -> full.metadata("one more", ""));
        assertThrows(IllegalArgumentException.class, () -> tenant("x".repeat(16 << 10)));
        assertThrows(IllegalArgumentException.class, () -> tenant("\ud83d"));
        CallOptions all = CallOptions.stale(Duration.ofSeconds(1))
                .metadata("a", "1")
                .within(Duration.ofSeconds(2))
                .metadata("a", "2");
        assertEquals(
                new CallOptions(
                        Optional.of(Duration.ofSeconds(2)),
                        Optional.of(Duration.ofSeconds(1)),
                        Map.of("a", "2"),
                        false),
                all);
    }

    @Test
    void aRecoveredCallNamesItsMethodBehindItsMetadata() throws Exception {
        MethodTable.Entry buy = new MethodTable(Shop.class).of(Shop.class.getMethod("buy", String.class));
        byte[] body = new Envelope(Map.of("tenant", "a"), MethodTable.request(buy, new Object[] {"tea"})).toBytes();
        RecoveredCall call = new RecoveredCall(
                new ClientCall.Identity(RequestId.own(new ClientId(1, 2), 3), 4, 5),
                body,
                MethodTable.result(buy, "bought"),
                Optional.empty());
        assertEquals("buy", call.method(Shop.class));
        assertEquals(List.of("tea"), call.arguments(Shop.class));
        assertEquals("bought", call.result(Shop.class));
    }

    /** The first interceptor is the outermost; its exception is the reply, and the service does not run. */
    @Test
    void codeAroundTheServiceSeesCallsAndReads(@TempDir Path data) throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        String members = Member.format(FreePorts.members(1));
        try (AmoReplica replica = AmoReplica.builder("shop")
                        .id("a")
                        .members(members)
                        .data(data)
                        .log(ReplicaSettings.Log.MEMORY)
                        .insecure()
                        .service(Shop.class, new ShopInMemory())
                        .intercept(next -> (request, context) -> {
                            if (!context.metadata().containsKey("tenant")) {
                                throw new NoTenant("the call names no tenant");
                            }
                            seen.add(context.readOnly() ? "read" : "call");
                            return next.handle(request, context);
                        })
                        .intercept(next -> (request, context) -> {
                            seen.add("inner");
                            return next.handle(request, context);
                        })
                        .start();
                AmoClient client = AmoClient.builder("shop")
                        .members(members)
                        .insecure()
                        .deadline(Duration.ofSeconds(20))
                        .build()) {
            assertTrue(replica.awaitReady(Duration.ofSeconds(20)).isReady());
            Shop anonymous = client.proxy(Shop.class);
            assertThrows(NoTenant.class, () -> anonymous.buy("tea"));
            assertThrows(NoTenant.class, anonymous::tenants);
            assertEquals(List.of(), seen);
            Shop shop = client.with(tenant("a")).proxy(Shop.class);
            assertEquals("tea{tenant=a}", shop.buy("tea"));
            assertEquals("{a=1} for {tenant=a}", shop.tenants());
            assertEquals(List.of("call", "inner", "read", "inner"), seen);
        }
    }

    /** A program's own way to call, around another one. */
    private record Watched(AmoCalls calls, List<String> seen) implements AmoCalls {
        @Override
        public byte[] call(byte[] request) {
            seen.add("call");
            return calls.call(request);
        }

        @Override
        public CompletionStage<byte[]> callAsync(byte[] request) {
            seen.add("later");
            return calls.callAsync(request);
        }

        @Override
        public void oneway(byte[] request) {
            seen.add("oneway");
            calls.oneway(request);
        }

        @Override
        public byte[] query(byte[] request) {
            seen.add("query");
            return calls.query(request);
        }

        @Override
        public CompletionStage<byte[]> queryAsync(byte[] request) {
            seen.add("query later");
            return calls.queryAsync(request);
        }
    }

    @Test
    void codeAroundTheClientSeesTheCallsOfItsProxies() throws Exception {
        List<String> seen = new ArrayList<>();
        try (EmbeddedGroup group = EmbeddedGroup.of(1, Shop.class, ShopInMemory::new)) {
            AmoCalls watched = new Watched(group.client().with(tenant("a")), seen);
            assertEquals("tea{tenant=a}", watched.proxy(Shop.class).buy("tea"));
            assertEquals(
                    "tea{tenant=a}",
                    watched.proxy(ShopLater.class)
                            .buy("tea")
                            .toCompletableFuture()
                            .get(20, TimeUnit.SECONDS));
            watched.proxy(Shop.class).note("x");
            assertEquals("{a=2} for {tenant=a}", watched.proxy(Shop.class).tenants());
            assertEquals(List.of("call", "later", "oneway", "query"), seen);
        }
    }
}
