package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.client.ClientCall;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallJournalTest {
    private static final ClientId ID = new ClientId(0x0102_0304_0506_0708L, 0x090A_0B0C_0D0E_0F10L);
    private static final long SHORT = 4_000;

    @TempDir
    Path folder;

    private Path path = Path.of("unset");

    @BeforeEach
    void place() {
        path = folder.resolve("calls-1");
    }

    private static ClientCall.Identity identity(long number) {
        return new ClientCall.Identity(RequestId.own(ID, number), 1_700_000_000_000L + number, 1_700_000_060_000L);
    }

    private static byte[] body(long number) {
        byte[] body = new byte[100];
        Arrays.fill(body, (byte) number);
        return body;
    }

    private CallJournal create() throws IOException {
        return CallJournal.create(path, "bank", ID, SHORT);
    }

    private static List<Long> numbers(CallJournal journal) {
        return journal.openCalls().stream()
                .map(call -> call.identity().id().number())
                .toList();
    }

    @Test
    void theNextLifeFindsWhatIsOpen() throws IOException {
        try (CallJournal journal = create()) {
            for (long number = 1; number <= 4; number++) {
                journal.call(identity(number), body(number));
            }
            journal.call(identity(2), body(2));
            journal.finished(1);
            journal.notExecuted(3, Optional.of(Refusal.OVERLOADED));
            journal.notExecuted(4, Optional.empty());
            journal.write();
        }
        try (CallJournal read = CallJournal.open(path, "bank").orElseThrow()) {
            assertEquals(ID, read.client());
            assertEquals(List.of(2L, 3L, 4L), numbers(read));
            CallJournal.OpenCall second = read.openCalls().get(0);
            assertEquals(identity(2), second.identity());
            assertArrayEquals(body(2), read.body(second));
            assertEquals(false, second.isRefused());
            assertEquals(
                    Optional.of(Refusal.OVERLOADED), read.openCalls().get(1).reason());
            assertTrue(read.openCalls().get(2).isRefused());
            assertEquals(Optional.empty(), read.openCalls().get(2).reason());
        }
    }

    @Test
    void nothingIsInTheFileThatWasNotWritten() throws IOException {
        try (CallJournal journal = create()) {
            journal.call(identity(1), body(1));
            try (CallJournal read = CallJournal.open(path, "bank").orElseThrow()) {
                assertEquals(List.of(), numbers(read));
            }
        }
    }

    /** docs/wire/client-calls.md. */
    @Test
    void theBytesOfTheFile() throws IOException {
        try (CallJournal journal = create()) {
            journal.call(identity(1), new byte[] {7, 8});
            journal.notExecuted(1, Optional.of(Refusal.EXPIRED));
            journal.finished(1);
            journal.write();
        }
        assertEquals(
                "0000001b" + "00616d6f4a010102030405060708090a0b0c0d0e0f100462616e6b" + "a6ad844a"
                        + "0000000f" + "01010000018bcfe56801dfd4030708" + "46d3e028"
                        + "00000003" + "020103" + "9681dada"
                        + "00000002" + "0301" + "dec9051d",
                HexFormat.of().formatHex(Files.readAllBytes(path)));
    }

    @Test
    void aShorterFileWithTheOpenCallsReplacesALongOne() throws IOException {
        try (CallJournal journal = create()) {
            journal.call(identity(1), body(1));
            journal.call(identity(2), body(2));
            journal.notExecuted(2, Optional.of(Refusal.EXPIRED));
            long most = 0;
            for (long number = 3; number < 500; number++) {
                journal.call(identity(number), body(number));
                journal.write();
                journal.finished(number);
                journal.write();
                most = Math.max(most, Files.size(path));
            }
            assertTrue(most < SHORT + 400, "bytes: " + most);
            journal.call(identity(500), body(500));
            journal.write();
            for (CallJournal.OpenCall each : journal.openCalls()) {
                assertArrayEquals(body(each.identity().id().number()), journal.body(each));
            }
        }
        try (CallJournal read = CallJournal.open(path, "bank").orElseThrow()) {
            assertEquals(List.of(1L, 2L, 500L), numbers(read));
            assertTrue(read.openCalls().get(1).isRefused());
            assertArrayEquals(body(500), read.body(read.openCalls().get(2)));
        }
    }

    /** As a loss of power may leave it, and a write of the dying process. */
    @Test
    void aTornTailTakesNoCallBeforeItAndTheFileGoesOn() throws IOException {
        try (CallJournal journal = create()) {
            journal.call(identity(1), body(1));
            journal.write();
        }
        long whole = Files.size(path);
        try (CallJournal read = CallJournal.open(path, "bank").orElseThrow()) {
            read.call(identity(2), body(2));
            read.write();
        }
        byte[] all = Files.readAllBytes(path);
        for (int length = (int) whole; length < all.length; length += 9) {
            Files.write(path, Arrays.copyOf(all, length));
            try (CallJournal read = CallJournal.open(path, "bank").orElseThrow()) {
                assertEquals(List.of(1L), numbers(read), "length " + length);
                read.finished(1);
                read.write();
            }
            try (CallJournal read = CallJournal.open(path, "bank").orElseThrow()) {
                assertEquals(List.of(), numbers(read));
            }
        }
    }

    @Test
    void aFlippedBitTakesItsRecordAndThoseBehindIt() throws IOException {
        try (CallJournal journal = create()) {
            journal.call(identity(1), body(1));
            journal.call(identity(2), body(2));
            journal.write();
        }
        byte[] all = Files.readAllBytes(path);
        for (int bit = (all.length - 100) * 8; bit < all.length * 8; bit += 61) {
            byte[] flipped = all.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            Files.write(path, flipped);
            try (CallJournal read = CallJournal.open(path, "bank").orElseThrow()) {
                assertEquals(List.of(1L), numbers(read), "bit " + bit);
            }
        }
    }

    @Test
    void aFileOfAnotherGroupOrVersionOrWithADamagedHeadIsRefusedInOneLine() throws IOException {
        create().close();
        String other = String.valueOf(assertThrows(IOException.class, () -> CallJournal.open(path, "shop"))
                .getMessage());
        assertTrue(other.contains("belongs to a client of group bank; give the client of group shop a folder"), other);
        byte[] bytes = Files.readAllBytes(path);
        bytes[8] ^= 1;
        Files.write(path, bytes);
        String damaged = String.valueOf(assertThrows(IOException.class, () -> CallJournal.open(path, "bank"))
                .getMessage());
        assertTrue(damaged.contains("is damaged") && damaged.contains("move it away"), damaged);
    }

    @Test
    void aWriteThatFailedIsMadeAgain() throws IOException {
        CallJournal journal = create();
        journal.call(identity(1), body(1));
        journal.close();
        assertThrows(IOException.class, journal::write);
        assertThrows(IOException.class, journal::write, "the record is still to be written");
    }
}
