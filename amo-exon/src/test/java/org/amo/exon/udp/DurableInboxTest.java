package org.amo.exon.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.amo.exon.NodeId;
import org.amo.exon.udp.DurableInbox.Kept;
import org.amo.meetings.Fuzz;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the inbox has on disk, and what it does with a disk that tears, lies or refuses. */
class DurableInboxTest {
    private static final NodeId FROM = new NodeId(0x0011223344556677L, 0x8899AABBCCDDEEFFL);

    @TempDir
    private Path folder;

    private final AtomicInteger refusals = new AtomicInteger();
    private final List<DurableInbox> opened = new ArrayList<>();

    @AfterEach
    void closeAll() throws IOException {
        for (DurableInbox inbox : opened) {
            inbox.close();
        }
    }

    private DurableInbox open(long above, int segmentBytes) throws IOException {
        DurableInbox inbox = DurableInbox.open(folder, above, segmentBytes, segment -> {
            if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new IOException("planted");
            }
            segment.force(false);
        });
        opened.add(inbox);
        return inbox;
    }

    private DurableInbox reopen(DurableInbox inbox) throws IOException {
        inbox.close();
        opened.remove(inbox);
        return open(0, DurableInbox.SEGMENT_BYTES);
    }

    private static Kept kept(long position, int length) {
        byte[] message = new byte[length];
        java.util.Arrays.fill(message, (byte) position);
        return new Kept(position, FROM, message);
    }

    private static List<Long> positions(DurableInbox inbox) {
        return inbox.takeUnnoted().stream().map(Kept::position).toList();
    }

    private List<Path> segments() throws IOException {
        try (var all = Files.list(folder)) {
            return all.filter(file -> file.toString().endsWith(".inbox"))
                    .sorted()
                    .toList();
        }
    }

    private Path only() throws IOException {
        assertEquals(1, segments().size());
        return segments().get(0);
    }

    /** docs/wire/exon.md. */
    @Test
    void aSegmentAndANoteHaveTheseBytes() throws IOException {
        DurableInbox inbox = open(0x0F, DurableInbox.SEGMENT_BYTES);
        assertEquals(0x10, inbox.nextPosition());
        inbox.append(List.of(new Kept(0x10, FROM, new byte[] {'h', 'i'})));
        inbox.note(0x10);
        assertEquals("0000000000000010.inbox", only().getFileName().toString());
        assertEquals(
                "616d6f49" + "00000001" // amoI, version 1
                        + "00000022" + "19c9de85" // length, CRC32C of the rest
                        + "0000000000000010" + "00112233445566778899aabbccddeeff" + "6869",
                Fuzz.hex(Files.readAllBytes(only())));
        assertEquals(
                "0000000000000010" + "000000009c7675e5", Fuzz.hex(Files.readAllBytes(folder.resolve("handed-over"))));
    }

    @Test
    void messagesBehindTheNoteComeAgainInTheirOrder() throws IOException {
        DurableInbox inbox = open(6, DurableInbox.SEGMENT_BYTES);
        inbox.append(List.of(kept(7, 10), kept(8, 0), kept(9, 2 << 20)));
        inbox.append(List.of(kept(10, 5)));
        inbox.note(7);
        inbox.note(8);
        inbox = reopen(inbox);
        assertEquals(11, inbox.nextPosition());
        List<Kept> again = inbox.takeUnnoted();
        assertEquals(List.of(9L, 10L), again.stream().map(Kept::position).toList());
        assertEquals(2 << 20, again.get(0).message().length);
        assertEquals(
                ByteBuffer.wrap(kept(10, 5).message()),
                ByteBuffer.wrap(again.get(1).message()));
        assertEquals(FROM, again.get(1).from());
        inbox.note(10);
        inbox = reopen(inbox);
        assertEquals(List.of(), positions(inbox));
        assertEquals(11, inbox.nextPosition());
    }

    /** Positions are ids: an application skips those up to its last. */
    @Test
    void anInboxThatWasLostGoesOnAboveTheClock() throws IOException {
        assertEquals(101, open(100, DurableInbox.SEGMENT_BYTES).nextPosition());
    }

    @Test
    void aWriteThatACrashInterruptedIsCutOff() throws IOException {
        DurableInbox inbox = open(0, DurableInbox.SEGMENT_BYTES);
        inbox.append(List.of(kept(1, 100)));
        long whole = Files.size(only());
        inbox.append(List.of(kept(2, 100)));
        try (var channel = java.nio.channels.FileChannel.open(only(), StandardOpenOption.WRITE)) {
            channel.truncate(whole + 60);
        }
        inbox = reopen(inbox);
        assertEquals(List.of(1L), positions(inbox));
        assertEquals(whole, Files.size(segments().get(0)));
        inbox.append(List.of(kept(2, 1)));
        assertEquals(List.of(1L, 2L), positions(reopen(inbox)));
    }

    /** Behind it stand messages that were reported as delivered: to cut it off would lose them without a word. */
    @Test
    void aDamagedMessageBeforeOthersIsRefused() throws IOException {
        DurableInbox inbox = open(0, DurableInbox.SEGMENT_BYTES);
        inbox.append(List.of(kept(1, 100), kept(2, 100)));
        byte[] bytes = Files.readAllBytes(only());
        bytes[60] ^= 1;
        Files.write(only(), bytes);
        IOException refused = assertThrows(IOException.class, () -> reopen(inbox));
        assertTrue(refused.getMessage().contains("is damaged at byte 8"), refused.getMessage());
    }

    @Test
    void aDamagedEndOfAnOlderSegmentIsRefused() throws IOException {
        DurableInbox inbox = open(0, 200);
        inbox.append(List.of(kept(1, 300)));
        inbox.append(List.of(kept(2, 300)));
        byte[] bytes = Files.readAllBytes(segments().get(0));
        bytes[60] ^= 1;
        Files.write(segments().get(0), bytes);
        assertThrows(IOException.class, () -> reopen(inbox));
    }

    @Test
    void segmentsGoOnceTheApplicationHasPassedThem() throws IOException {
        DurableInbox inbox = open(0, 200);
        for (long i = 1; i <= 5; i++) {
            inbox.append(List.of(kept(i, 300)));
        }
        assertEquals(5, segments().size());
        inbox.note(3);
        inbox.append(List.of(kept(6, 300)));
        assertEquals(3, segments().size(), "4, 5 and 6 are not handed over");
        inbox.note(6);
        inbox = reopen(inbox);
        assertEquals(List.of(), positions(inbox));
        inbox.append(List.of(kept(7, 1)));
        assertEquals(1, segments().size());
    }

    /** The pages that a failed force leaves may be called clean: the messages are written again, elsewhere. */
    @Test
    void aForceThatFailedIsNotMadeAgainOverTheSamePages() throws IOException {
        DurableInbox inbox = open(0, DurableInbox.SEGMENT_BYTES);
        inbox.append(List.of(kept(1, 100)));
        long whole = Files.size(only());
        refusals.set(1);
        assertThrows(IOException.class, () -> inbox.append(List.of(kept(2, 100))));
        inbox.append(List.of(kept(2, 100), kept(3, 100)));
        assertEquals(2, segments().size());
        assertEquals(whole, Files.size(segments().get(0)));
        assertEquals(List.of(1L, 2L, 3L), positions(reopen(inbox)));
    }

    @Test
    void aFirstForceThatFailedLosesNothingEither() throws IOException {
        DurableInbox inbox = open(0, DurableInbox.SEGMENT_BYTES);
        refusals.set(2);
        assertThrows(IOException.class, () -> inbox.append(List.of(kept(1, 100))));
        assertThrows(IOException.class, () -> inbox.append(List.of(kept(1, 100))));
        inbox.append(List.of(kept(1, 100)));
        inbox.note(1);
        inbox.append(List.of(kept(2, 100)));
        assertEquals(List.of(2L), positions(reopen(inbox)));
    }

    /** An application that leaves its thread interrupted does not close the file. */
    @Test
    void aNoteOfAnInterruptedThreadIsKept() throws IOException {
        DurableInbox inbox = open(0, DurableInbox.SEGMENT_BYTES);
        inbox.append(List.of(kept(1, 1), kept(2, 1)));
        Thread.currentThread().interrupt();
        inbox.note(1);
        assertTrue(Thread.interrupted());
        inbox.note(2);
        assertEquals(List.of(), positions(reopen(inbox)));
    }

    @Test
    void aTornNoteLeavesTheOneBefore() throws IOException {
        DurableInbox inbox = open(0, DurableInbox.SEGMENT_BYTES);
        inbox.append(List.of(kept(1, 1), kept(2, 1), kept(3, 1)));
        inbox.note(1);
        inbox.note(2);
        byte[] bytes = Files.readAllBytes(folder.resolve("handed-over"));
        bytes[20] ^= 1;
        Files.write(folder.resolve("handed-over"), bytes);
        inbox = reopen(inbox);
        assertEquals(List.of(2L, 3L), positions(inbox));
        inbox.note(2);
        assertEquals(List.of(3L), positions(reopen(inbox)));
    }

    @Test
    void twoNodesCannotHaveOne() throws IOException {
        DurableInbox inbox = open(0, DurableInbox.SEGMENT_BYTES);
        assertThrows(IOException.class, () -> open(0, DurableInbox.SEGMENT_BYTES));
        inbox.append(List.of(kept(1, 1)));
    }
}
