package org.amo.cli.exon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.amo.cli.ExitCodes;
import org.amo.cli.exon.TransferAnswer.State;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A folder that is not closed is one whose process was killed. */
class ReceivingFolderTest {
    private static final int PIECE = FileOffer.PIECE_BYTES;
    private static final byte[] CONTENT = Contents.random(1, 5 * PIECE + 77);
    private static final FileOffer OFFER = Contents.offer("file", CONTENT);

    @TempDir
    private Path into = Path.of("unset");

    private final List<String> notices = new CopyOnWriteArrayList<>();

    private ReceivingFolder start(boolean overwrite) {
        return new ReceivingFolder(into, overwrite, notices::add);
    }

    private static void sendPieces(ReceivingFolder folder, FileOffer offer, byte[] content, long from, long to) {
        for (long offset = from; offset < to; offset += PIECE) {
            folder.onPiece(offer.key(), offset, Contents.piece(offer, content, offset));
        }
    }

    private static TransferAnswer awaitEnd(ReceivingFolder folder, FileOffer offer) {
        return Awaitility.await().until(() -> folder.onOffer(offer), answer -> answer.state() != State.CHECKING);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> entries = Files.list(into)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aFileGetsItsNameOnceItIsWhole() throws IOException {
        ReceivingFolder folder = start(false);
        assertEquals(TransferAnswer.send(0), folder.onOffer(OFFER));
        sendPieces(folder, OFFER, CONTENT, 0, 5 * PIECE);
        assertEquals(TransferAnswer.send(5 * PIECE), folder.onOffer(OFFER));
        assertTrue(names().stream().allMatch(name -> name.startsWith(".amo-")), names()::toString);
        sendPieces(folder, OFFER, CONTENT, 5 * PIECE, CONTENT.length);
        assertEquals(TransferAnswer.arrived(CONTENT.length), awaitEnd(folder, OFFER));
        assertArrayEquals(CONTENT, Files.readAllBytes(into.resolve("file")));
        assertEquals(List.of("file"), names());
        assertEquals(List.of("received file, " + CONTENT.length + " bytes"), notices);
    }

    @Test
    void anEmptyFileArrives() throws IOException {
        FileOffer empty = Contents.offer("empty", new byte[0]);
        assertEquals(TransferAnswer.arrived(0), awaitEnd(start(false), empty));
        assertEquals(0, Files.size(into.resolve("empty")));
    }

    @Test
    void piecesInAnyOrderAndSeveralTimesMakeTheSameFile() throws IOException {
        ReceivingFolder folder = start(false);
        folder.onOffer(OFFER);
        List<Long> offsets = new ArrayList<>();
        for (long offset = 0; offset < CONTENT.length; offset += PIECE) {
            offsets.addAll(List.of(offset, offset, offset));
        }
        Collections.shuffle(offsets, new Random(3));
        for (long offset : offsets) {
            folder.onPiece(OFFER.key(), offset, Contents.piece(OFFER, CONTENT, offset));
        }
        assertEquals(State.ARRIVED, awaitEnd(folder, OFFER).state());
        assertArrayEquals(CONTENT, Files.readAllBytes(into.resolve("file")));
    }

    /** None of these may write a byte. */
    @Test
    void piecesThatFitNowhereAreDropped() {
        ReceivingFolder folder = start(false);
        folder.onOffer(OFFER);
        folder.onPiece(new TransferKey(1, 2), 0, new byte[PIECE]);
        folder.onPiece(OFFER.key(), -PIECE, new byte[PIECE]);
        folder.onPiece(OFFER.key(), 1, new byte[PIECE]);
        folder.onPiece(OFFER.key(), 0, new byte[PIECE - 1]);
        folder.onPiece(OFFER.key(), 6L * PIECE, new byte[PIECE]);
        folder.onPiece(OFFER.key(), 5L * PIECE, new byte[PIECE]);
        assertEquals(TransferAnswer.send(0), folder.onOffer(OFFER));
        assertEquals(State.ARRIVED, arrive(folder, OFFER, CONTENT).state());
    }

    private static TransferAnswer arrive(ReceivingFolder folder, FileOffer offer, byte[] content) {
        sendPieces(folder, offer, content, folder.onOffer(offer).position(), content.length);
        return awaitEnd(folder, offer);
    }

    /** The note is written with the last piece here; a real kill is between two of them in ExonProcessesTest. */
    @Test
    void aReceiverThatWasKilledBeforeTheComparisonComparesAtTheNextOffer() throws IOException {
        try (PartialFile partial = PartialFile.open(into, OFFER, 0)) {
            for (long offset = 0; offset < CONTENT.length; offset += PIECE) {
                partial.write(offset, Contents.piece(OFFER, CONTENT, offset), 0);
            }
            partial.note(0);
        }
        ReceivingFolder folder = start(false);
        assertEquals(State.ARRIVED, awaitEnd(folder, OFFER).state());
        assertArrayEquals(CONTENT, Files.readAllBytes(into.resolve("file")));
    }

    @Test
    void aReceiverThatWasKilledGoesOnAtItsNote() throws IOException {
        try (PartialFile partial = PartialFile.open(into, OFFER, 0)) {
            partial.write(0, Contents.piece(OFFER, CONTENT, 0), 0);
            partial.write(PIECE, Contents.piece(OFFER, CONTENT, PIECE), 0);
            partial.note(0);
            // Beyond the note, and so sent again; beyond the gap, and so not counted.
            partial.write(2 * PIECE, Contents.piece(OFFER, CONTENT, 2 * PIECE), 0);
            partial.write(4 * PIECE, Contents.piece(OFFER, CONTENT, 4 * PIECE), 0);
        }
        ReceivingFolder folder = start(false);
        assertEquals(TransferAnswer.send(2 * PIECE), folder.onOffer(OFFER));
        assertEquals(List.of("goes on with file at " + 2 * PIECE + " of " + CONTENT.length + " bytes"), notices);
        assertEquals(State.ARRIVED, arrive(folder, OFFER, CONTENT).state());
        assertArrayEquals(CONTENT, Files.readAllBytes(into.resolve("file")));
    }

    /** A note that counts more than the disk has is not believed. */
    @Test
    void aNoteWithoutItsBytesCountsForNothing() throws IOException {
        try (PartialFile partial = PartialFile.open(into, OFFER, 0)) {
            partial.write(0, Contents.piece(OFFER, CONTENT, 0), 0);
            partial.note(0);
            Files.write(Path.of(partial.toString()), new byte[10]);
        }
        assertEquals(TransferAnswer.send(0), start(false).onOffer(OFFER));
    }

    @Test
    void aReceiverThatWasKilledBehindTheRenameSaysThatTheFileArrived() throws IOException {
        try (PartialFile partial = PartialFile.open(into, OFFER, 0)) {
            partial.note(0);
            Files.delete(Path.of(partial.toString()));
        }
        Files.write(into.resolve("file"), CONTENT);
        assertEquals(State.ARRIVED, awaitEnd(start(false), OFFER).state());
        assertEquals(List.of("file"), names());
    }

    @Test
    void anotherContentThanTheOfferedOneGetsNoNameAndBeginsAnew() throws IOException {
        ReceivingFolder folder = start(false);
        byte[] other = CONTENT.clone();
        other[PIECE] ^= 1;
        TransferAnswer answer = arrive(folder, OFFER, other);
        assertEquals(State.REFUSED, answer.state());
        assertEquals(ExitCodes.CHECK_FAILED, answer.exitCode());
        assertEquals(List.of(), names());
        assertEquals(State.ARRIVED, arrive(folder, OFFER, CONTENT).state());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "../up",
                "/tmp/absolute",
                "a/b",
                "a/",
                "./a",
                "..\\up",
                "a\u0000b",
                "line\nbreak",
                ".amo-clock"
            })
    void namesThatLeaveTheFolderOrItsPlainNamesAreRefused(String name) throws IOException {
        FileOffer offer = Contents.offer(name, CONTENT);
        TransferAnswer answer = start(true).onOffer(offer);
        assertEquals(State.REFUSED, answer.state());
        assertEquals(ExitCodes.USER, answer.exitCode());
        assertTrue(answer.reason().lines().count() == 1, answer::reason);
        assertEquals(List.of(), names());
    }

    @Test
    void aFileOfTheSameNameStaysUnlessTheReceiverMayOverwrite() throws IOException {
        Files.writeString(into.resolve("file"), "mine");
        ReceivingFolder folder = start(false);
        TransferAnswer answer = folder.onOffer(OFFER);
        assertEquals(ExitCodes.USER, answer.exitCode());
        assertTrue(answer.reason().contains("--overwrite"), answer::reason);
        assertEquals("mine", Files.readString(into.resolve("file")));
        assertEquals(State.ARRIVED, arrive(start(true), OFFER, CONTENT).state());
        assertArrayEquals(CONTENT, Files.readAllBytes(into.resolve("file")));
    }

    @Test
    void aFileOfTheSameNameAndLengthIsComparedAndNotTrusted() throws IOException {
        Files.write(into.resolve("file"), new byte[CONTENT.length]);
        assertEquals(ExitCodes.USER, awaitEnd(start(false), OFFER).exitCode());
        ReceivingFolder folder = start(true);
        assertEquals(TransferAnswer.send(0), awaitEnd(folder, OFFER));
        assertEquals(State.ARRIVED, arrive(folder, OFFER, CONTENT).state());
        assertArrayEquals(CONTENT, Files.readAllBytes(into.resolve("file")));
    }

    @Test
    void aFileMadeMeanwhileIsNotOverwritten() throws IOException {
        ReceivingFolder folder = start(false);
        folder.onOffer(OFFER);
        Files.writeString(into.resolve("file"), "mine");
        assertEquals(ExitCodes.USER, arrive(folder, OFFER, CONTENT).exitCode());
        assertEquals("mine", Files.readString(into.resolve("file")));
    }

    @Test
    void aFileThatArrivedAndWasRemovedArrivesAgain() throws IOException {
        ReceivingFolder folder = start(false);
        assertEquals(State.ARRIVED, arrive(folder, OFFER, CONTENT).state());
        Files.delete(into.resolve("file"));
        assertEquals(TransferAnswer.send(0), folder.onOffer(OFFER));
    }

    @Test
    void aDiskWithoutRoomIsTold() {
        FileOffer huge = new FileOffer("huge", 1L << 60, new byte[FileOffer.HASH_BYTES]);
        TransferAnswer answer = start(false).onOffer(huge);
        assertEquals(ExitCodes.ENVIRONMENT, answer.exitCode());
        assertTrue(answer.reason().contains("make room"), answer::reason);
    }

    @Test
    void aDiskThatBecomesFullIsToldAndTheFileGoesOnOnceThereIsRoom() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full));
        Path part = into.resolve(".amo-" + OFFER.key() + ".part");
        Files.createSymbolicLink(part, full);
        ReceivingFolder folder = start(false);
        folder.onOffer(OFFER);
        sendPieces(folder, OFFER, CONTENT, 0, PIECE);
        TransferAnswer answer = folder.onOffer(OFFER);
        assertEquals(ExitCodes.ENVIRONMENT, answer.exitCode());
        assertTrue(answer.reason().contains("No space left on device"), answer::reason);
        Files.delete(part);
        assertEquals(State.ARRIVED, arrive(folder, OFFER, CONTENT).state());
    }

    /** Its pieces stay, so the file goes on when its sender offers it again. */
    @Test
    void moreTransfersThanTheMostPushTheOldestOut() {
        ReceivingFolder folder = start(false);
        folder.onOffer(OFFER);
        sendPieces(folder, OFFER, CONTENT, 0, 2 * PIECE);
        for (int i = 0; i < ReceivingFolder.MOST_TRANSFERS; i++) {
            assertEquals(
                    State.SEND,
                    folder.onOffer(Contents.offer("other" + i, CONTENT)).state());
        }
        sendPieces(folder, OFFER, CONTENT, 2 * PIECE, CONTENT.length);
        assertEquals(TransferAnswer.send(2 * PIECE), folder.onOffer(OFFER));
        assertEquals(State.ARRIVED, arrive(folder, OFFER, CONTENT).state());
    }

    @Test
    void anOrderlyEndLosesNoPiece() {
        ReceivingFolder folder = start(false);
        folder.onOffer(OFFER);
        sendPieces(folder, OFFER, CONTENT, 0, 3 * PIECE);
        folder.close();
        assertEquals(TransferAnswer.send(3 * PIECE), start(false).onOffer(OFFER));
    }
}
