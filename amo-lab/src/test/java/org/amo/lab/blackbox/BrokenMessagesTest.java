package org.amo.lab.blackbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.amo.core.sack.FinishedNumbers;
import org.amo.core.wire.RequestContext;
import org.amo.examples.bank.idl.Bank;
import org.junit.jupiter.api.Test;

/** Broken GIOP messages, contexts and bodies over real connections: the group lives, and its members stay equal. */
class BrokenMessagesTest {
    private static final int MESSAGES = 1_000;
    private static final long SEED = 20_261;
    private static final int GIOP_HEADER = 12;
    private static final int SIZE_AT = 8;
    private static final int[] EXTREMES = {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x0001_0000, 0x7FFF_FFF0};

    /** Any call of a neighbour takes less, whatever else arrives at its member. */
    private static final long MOST_NANOS = 20_000_000_000L;

    private final Random random = new Random(SEED);

    @Test
    void brokenMessagesHarmNoNeighbourAndNoMember() throws Exception {
        try (BankCluster bank =
                        BankCluster.start(BankCluster.Settings.bank("broken").two());
                Orb orb = Orb.client(30_000, Map.of())) {
            Bank neighbour = orb.bank(bank.reference());
            AtomicBoolean enough = new AtomicBoolean();
            AtomicLong calls = new AtomicLong();
            AtomicLong slowest = new AtomicLong();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread undisturbed = new Thread(() -> {
                try {
                    while (!enough.get()) {
                        long start = System.nanoTime();
                        assertEquals(calls.incrementAndGet(), neighbour.deposit("neighbour", 1));
                        slowest.accumulateAndGet(System.nanoTime() - start, Math::max);
                        Pace.pause(5);
                    }
                } catch (Exception | AssertionError e) {
                    failure.set(e);
                }
            });
            undisturbed.start();
            RawClient client = new RawClient(bank.reference()).learn(bank.member(0));
            List<RawClient.Sent> open = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                MemberProcess member = bank.member(random.nextInt(2));
                try {
                    open.add(client.raw(member, broken(client)));
                } catch (java.io.UncheckedIOException e) {
                    throw new AssertionError(
                            "after " + i + " messages " + member.id() + " takes no more: " + member.said(), e);
                }
                // Some stay open while others come, as broken clients do.
                if (open.size() > 20) {
                    open.remove(random.nextInt(open.size())).close();
                }
            }
            open.forEach(RawClient.Sent::close);
            enough.set(true);
            undisturbed.join();
            assertEquals(null, failure.get(), () -> "seed " + SEED + ": " + failure.get() + said(bank));
            assertTrue(calls.get() > 10, () -> "the neighbour made " + calls.get() + " calls");
            assertTrue(slowest.get() < MOST_NANOS, () -> slowest.get() / 1_000_000 + " ms");
            assertEquals(2, bank.up().size(), "members that live");
            client.acknowledge(bank.member(0), FinishedNumbers.of(1_000_000));
            bank.awaitEqual();
            assertEquals(Set.of(), bank.executedMoreThanOnce());
            assertEquals(calls.get() + 1, neighbour.deposit("neighbour", 1));
        }
    }

    private static List<String> said(BankCluster bank) {
        return bank.processes().stream().map(MemberProcess::said).toList();
    }

    private byte[] broken(RawClient client) {
        Giop dialect = new Giop(random.nextInt(3), random.nextBoolean());
        byte[] whole = dialect.request(
                random.nextInt(),
                random.nextInt(8) > 0,
                client.objectKey(),
                pick(List.of("deposit", "transfer", "balances", "_is_a", "_non_existent", "no_such_operation")),
                contexts(client),
                out -> out.string("fuzz").longLong(1));
        List<UnaryOperator<byte[]>> ways = List.of(
                this::cut,
                bytes -> sized(cut(bytes)),
                bytes -> flip(bytes, 0),
                bytes -> flip(bytes, GIOP_HEADER),
                this::extreme,
                bytes -> with(bytes, 7, random.nextInt(256)),
                bytes -> with(bytes, 6, random.nextInt(256)),
                bytes -> sized(longer(bytes)),
                bytes -> glued(bytes, flip(bytes, GIOP_HEADER)));
        return pick(ways).apply(whole);
    }

    private Map<Integer, byte[]> contexts(RawClient client) {
        byte[] own =
                new RequestContext(client.id(), java.util.Optional.of(client.call()), FinishedNumbers.NONE).encode();
        return switch (random.nextInt(4)) {
            case 0 -> Map.of();
            case 1 -> Map.of(RequestContext.CONTEXT_ID, own);
            case 2 -> Map.of(RequestContext.CONTEXT_ID, flip(own, 0));
            default -> Map.of(13, noise(), 1, noise());
        };
    }

    private byte[] noise() {
        byte[] bytes = new byte[random.nextInt(60)];
        random.nextBytes(bytes);
        return bytes;
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private byte[] cut(byte[] bytes) {
        return Arrays.copyOf(bytes, random.nextInt(bytes.length));
    }

    private byte[] longer(byte[] bytes) {
        return Arrays.copyOf(bytes, bytes.length + random.nextInt(5_000));
    }

    private byte[] flip(byte[] bytes, int from) {
        byte[] changed = bytes.clone();
        for (int i = random.nextInt(6); i >= 0 && changed.length > from; i--) {
            changed[from + random.nextInt(changed.length - from)] = (byte) random.nextInt(256);
        }
        return changed;
    }

    /** A length, a count or an id that cannot be. */
    private byte[] extreme(byte[] bytes) {
        byte[] changed = bytes.clone();
        int at = SIZE_AT + 4 * random.nextInt((changed.length - SIZE_AT) / 4);
        ByteBuffer.wrap(changed).putInt(at, EXTREMES[random.nextInt(EXTREMES.length)]);
        return changed;
    }

    private static byte[] with(byte[] bytes, int at, int value) {
        byte[] changed = bytes.clone();
        changed[at] = (byte) value;
        return changed;
    }

    /** The header says how long it really is. */
    private static byte[] sized(byte[] bytes) {
        if (bytes.length >= GIOP_HEADER) {
            boolean little = (bytes[6] & 1) == 1;
            ByteBuffer.wrap(bytes)
                    .order(little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN)
                    .putInt(SIZE_AT, bytes.length - GIOP_HEADER);
        }
        return bytes;
    }

    private static byte[] glued(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
