package org.amo.replication.lease;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.lease.LeaseId;
import org.amo.linearizable.lease.Renewed;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.junit.jupiter.api.Test;

/** Leases as a replicated service (rows R12, R13, R18): requests in an order, at the order's times, and nothing else. */
final class LeaseServiceTest implements HostileBytes {
    private static final long TERM = 16_000;
    private static final long STEP = 1_000;
    private static final long HOUR = 3_600_000;

    private final LeaseService service = new LeaseService(TERM, 10);
    private long orderedMillis = 50_000;
    private final LeaseClient client = new LeaseClient(request -> CompletableFuture.completedFuture(
            service.handle(new WireReader("request", request), orderedMillis, () -> 0)));

    @Override
    public List<Decoder> decoders() {
        LeaseService used = new LeaseService(TERM, 10);
        used.handle(new WireReader("request", LeaseCalls.open()), 50_000, () -> 0);
        used.handle(new WireReader("request", LeaseCalls.open()), 51_000, () -> 0);
        LeaseAnswer live =
                new LeaseAnswer(LeaseAnswer.Status.LIVE, new LeaseId(1), new ClusterTime(TERM), ClusterTime.ZERO);
        return List.of(
                Decoder.of(
                        "lease request",
                        MalformedFrameException.class,
                        bytes -> new LeaseService(TERM, 10).handle(new WireReader("lease", bytes), 5, () -> 0),
                        LeaseCalls.open(),
                        LeaseCalls.time(),
                        LeaseCalls.about(LeaseCalls.RENEW, new LeaseId(300)),
                        LeaseCalls.renewAll(new long[] {1, 300, LeaseId.MAX_VALUE})),
                Decoder.of(
                        "lease answer", MalformedFrameException.class, LeaseCalls::readAnswer, LeaseCalls.answer(live)),
                Decoder.of(
                        "leases renewed",
                        MalformedFrameException.class,
                        LeaseCalls::readRenewed,
                        LeaseCalls.renewed(new Renewed(new ClusterTime(TERM), ClusterTime.ZERO, new long[] {7, 300}))),
                Decoder.of(
                        "lease snapshot",
                        MalformedFrameException.class,
                        bytes -> new LeaseService(TERM, 10).restore(bytes),
                        used.take()));
    }

    @Test
    void asManyLeasesAreAskedForAsAreRead() {
        long[] most = LongStream.rangeClosed(1, LeaseCalls.MOST_RENEWALS).toArray();
        most[most.length - 1] = LeaseId.MAX_VALUE;
        WireReader reader = new WireReader("request", LeaseCalls.renewAll(most));
        assertEquals(LeaseCalls.RENEW_ALL, reader.u8("kind"));
        assertArrayEquals(most, LeaseCalls.readIds(reader));
        long[] tooMany = LongStream.rangeClosed(0, LeaseCalls.MOST_RENEWALS).toArray();
        assertThrows(IllegalArgumentException.class, () -> LeaseCalls.renewAll(tooMany));
    }

    @Test
    void aClientSpeaksToAService() {
        LeaseAnswer opened = client.open().join();
        assertEquals(
                new LeaseAnswer(LeaseAnswer.Status.LIVE, new LeaseId(1), new ClusterTime(TERM), ClusterTime.ZERO),
                opened);
        orderedMillis += STEP;
        assertEquals(new ClusterTime(STEP), client.time().join());
        assertEquals(TERM + STEP, client.renew(opened.client()).join().expires().millis());
        assertTrue(client.check(opened.client()).join().isLive());
        assertFalse(client.check(new LeaseId(7)).join().isLive());
        assertEquals(1, service.size());
    }

    @Test
    void aLeaseIsKeptThoughARenewalCannotLeave() {
        LeaseService real = new LeaseService(640, 10);
        AtomicInteger renewals = new AtomicInteger();
        LeaseClient order = new LeaseClient(request -> {
            if (request[0] == LeaseCalls.RENEW && renewals.getAndIncrement() == 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return CompletableFuture.completedFuture(
                    real.handle(new WireReader("request", request), System.currentTimeMillis(), () -> 0));
        });
        ScheduledExecutorService owner = Executors.newSingleThreadScheduledExecutor();
        LeaseKeeper keeper = new LeaseKeeper(order, 100, owner, new LeaseKeeper.Listener() {
            @Override
            public void onOpened(LeaseId opened) {}

            @Override
            public void onLost(LeaseId lost) {}
        });
        owner.execute(keeper::start);
        try {
            await().until(() -> renewals.get() >= 3);
        } finally {
            owner.shutdownNow();
        }
    }

    @Test
    void manyAreRenewedByOneRequest() {
        LeaseId first = client.open().join().client();
        LeaseId second = client.open().join().client();
        orderedMillis += STEP;
        Renewed renewed =
                client.renewAll(new long[] {first.value(), second.value(), 9}).join();
        assertEquals(TERM + STEP, renewed.of(first).expires().millis());
        assertEquals(renewed.of(second).expires(), client.check(second).join().expires());
        assertFalse(renewed.of(new LeaseId(9)).isLive());
    }

    @Test
    void aLeaseEndsWhenSoMuchTimeWasOrderedAndNotBefore() {
        LeaseId lease = client.open().join().client();
        for (int step = 1; step < 16; step++) {
            orderedMillis += STEP;
            assertTrue(client.check(lease).join().isLive(), "step " + step);
        }
        orderedMillis += STEP;
        assertFalse(client.check(lease).join().isLive());
        assertFalse(client.renew(lease).join().isLive(), "it is never live again");
    }

    /** Wall clocks of a majority are set, or nobody was there for an hour: leases do not feel it. */
    @Test
    void anHourThatTheOrderJumpsIsOneStep() {
        LeaseId lease = client.open().join().client();
        orderedMillis += HOUR;
        assertTrue(client.check(lease).join().isLive());
        assertEquals(STEP, client.time().join().millis());
    }

    @Test
    void whoeverTicksHalfAsOftenAsAStepIsLongLosesNoTime() {
        assertEquals(STEP / 2, LeaseService.tickMillis(TERM));
        assertEquals(1_000, LeaseService.tickMillis(1_000_000));
    }

    @Test
    void aMemberFromASnapshotAnswersAlike() {
        LeaseId lease = client.open().join().client();
        orderedMillis += 700;
        assertEquals(700, client.time().join().millis());
        LeaseService other = new LeaseService(TERM, 10);
        other.restore(service.take());
        orderedMillis += 100;
        byte[] request = LeaseCalls.about(LeaseCalls.CHECK, lease);
        byte[] answer = other.handle(new WireReader("request", request), orderedMillis, () -> 0);
        assertArrayEquals(service.handle(new WireReader("request", request), orderedMillis, () -> 0), answer);
        assertTrue(LeaseCalls.readAnswer(answer).isLive());
        assertArrayEquals(service.take(), other.take());
    }

    /** docs/wire/rpclog.md */
    @Test
    void golden() {
        assertEquals("01", hex(LeaseCalls.open()));
        assertEquals("02ac02", hex(LeaseCalls.about(LeaseCalls.RENEW, new LeaseId(300))));
        assertEquals("03ac02", hex(LeaseCalls.about(LeaseCalls.CHECK, new LeaseId(300))));
        assertEquals("04", hex(LeaseCalls.time()));
        assertEquals("0502ac0201", hex(LeaseCalls.renewAll(new long[] {300, 301})));
        Renewed renewed = new Renewed(new ClusterTime(1_000), new ClusterTime(500), new long[] {300});
        assertEquals("e807f40301ac02", hex(LeaseCalls.renewed(renewed)));
        Renewed read = LeaseCalls.readRenewed(LeaseCalls.renewed(renewed));
        assertEquals(renewed.of(new LeaseId(300)), read.of(new LeaseId(300)));
        assertEquals(renewed.of(new LeaseId(301)), read.of(new LeaseId(301)));
        assertThrows(MalformedFrameException.class, () -> LeaseCalls.readRenewed(new byte[] {1, 1, 2, 1}));
        assertEquals("f403", hex(LeaseCalls.time(new ClusterTime(500))));
        LeaseAnswer answer = new LeaseAnswer(
                LeaseAnswer.Status.EXPIRED, new LeaseId(300), new ClusterTime(500), new ClusterTime(1_000));
        assertEquals("01ac02f403e807", hex(LeaseCalls.answer(answer)));
        assertEquals(answer, LeaseCalls.readAnswer(LeaseCalls.answer(answer)));
        assertThrows(MalformedFrameException.class, () -> LeaseCalls.readAnswer(new byte[] {3, 1, 1, 1}));
        assertThrows(
                MalformedFrameException.class,
                () -> service.handle(new WireReader("request", new byte[] {6}), 1, () -> 0));
        assertThrows(
                MalformedFrameException.class,
                () -> service.handle(new WireReader("request", new byte[] {1, 0}), 1, () -> 0));
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
