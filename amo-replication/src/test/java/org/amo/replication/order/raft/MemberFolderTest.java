package org.amo.replication.order.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The members with which a log begins decide what a majority is; another list would let two majorities be disjoint. */
class MemberFolderTest {
    private static final String FIRST = "a=h:1/2,b=h:3/4,c=h:5/6";

    @TempDir
    Path data;

    private final List<Path> forced = new ArrayList<>();

    private Path file() {
        return data.resolve("g").resolve("a").resolve("members");
    }

    private MemberFolder folder(String members, ReplicaSettings.Log log) {
        ReplicaSettings settings = ReplicaSettings.builder("g", "a", Member.parseList(members))
                .data(data)
                .log(log)
                .build();
        return new MemberFolder(settings, new Disk() {
            @Override
            public FileChannel open(Path file) throws IOException {
                return LOCAL.open(file);
            }

            @Override
            public void forceFolder(Path folder) throws IOException {
                LOCAL.forceFolder(folder);
                forced.add(folder.normalize());
            }
        });
    }

    private List<Member> start(String members) {
        try (MemberFolder folder = folder(members, ReplicaSettings.Log.FSYNC)) {
            folder.claim();
            return folder.firstMembers();
        }
    }

    private boolean mayBeginLog() {
        try (MemberFolder folder = folder(FIRST, ReplicaSettings.Log.FSYNC)) {
            folder.claim();
            assertEquals(Member.parseList(FIRST), folder.firstMembers());
            return folder.mayBeginLog();
        }
    }

    private void refused(String what) {
        String message = assertThrows(OrderedLogException.class, () -> start(FIRST), what)
                .getMessage();
        assertTrue(message.contains("; put back a copy of it"), message);
        assertFalse(message.contains("\n"), message);
    }

    @Test
    void theFirstOnesHoldWhateverIsSaidLater() throws IOException {
        assertEquals(Member.parseList(FIRST), start(FIRST));
        assertEquals(Member.parseList(FIRST), start("a=h:1/2,d=h:7/8"));
        assertEquals(
                "616d6f470100000017613d683a312f322c623d683a332f342c633d683a352f36cff497f7",
                HexFormat.of().formatHex(Files.readAllBytes(file())));
    }

    @Test
    void noFlippedBitAndNoCutIsTakenForOtherMembers() throws IOException {
        start(FIRST);
        byte[] whole = Files.readAllBytes(file());
        for (int bit = 0; bit < 8 * whole.length; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(file(), flipped);
            refused("bit " + bit);
        }
        for (int length = 0; length < whole.length; length++) {
            Files.write(file(), Arrays.copyOf(whole, length));
            refused(length + " bytes");
        }
        Files.write(file(), FIRST.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        refused("the format of versions before");
    }

    @Test
    void onlyAStartBeforeTheLogWasOnDiskMayBeginIt() {
        assertTrue(mayBeginLog());
        assertTrue(mayBeginLog(), "the first start died before its log began");
        try (MemberFolder folder = folder(FIRST, ReplicaSettings.Log.FSYNC)) {
            folder.claim();
            folder.logHasBegun();
            assertFalse(folder.mayBeginLog());
        }
        assertFalse(mayBeginLog(), "a log that is missing now is lost");
    }

    /** The process that made its folders may have been killed before it forced them. */
    @Test
    void eachStartForcesTheFoldersUpToTheDataFolder() throws IOException {
        Path group = data.resolve("g");
        Files.createDirectories(group.resolve("a"));
        try (MemberFolder folder = folder(FIRST, ReplicaSettings.Log.FSYNC)) {
            folder.claim();
        }
        assertEquals(List.of(group.resolve("a"), group, data), forced);
    }

    /** A start that dies between the two must not lose the log that it has not begun. */
    @Test
    void theMarkOfAFirstStartIsThereBeforeItsMembers() throws IOException {
        Files.createDirectories(file().resolveSibling("members.new"));
        assertThrows(OrderedLogException.class, () -> start(FIRST));
        assertTrue(Files.exists(file().resolveSibling("log-begins")));
    }

    @Test
    void theFolderOfAnEarlierVersionMayNotBeginItsLogAgain() throws IOException {
        start(FIRST);
        Files.delete(file().resolveSibling("log-begins"));
        assertFalse(mayBeginLog());
    }

    /** Such a start is refused, for example because its port is taken, before the member takes part. */
    @Test
    void aLogInMemoryThatWasNeverUsedLeavesTheFirstStartToOneOnDisk() {
        try (MemberFolder folder = folder(FIRST, ReplicaSettings.Log.MEMORY)) {
            folder.claim();
            assertEquals(Member.parseList(FIRST), folder.firstMembers());
            folder.release();
        }
        assertTrue(mayBeginLog());
    }

    /** The disk has lost the empty file. The member would come back blank, and vote. */
    @Test
    void aMemberThatKeptItsLogInMemoryIsKnownWithoutItsMark() throws IOException {
        try (MemberFolder folder = folder(FIRST, ReplicaSettings.Log.MEMORY)) {
            folder.claim();
        }
        Files.delete(file().resolveSibling("log-in-memory"));
        for (ReplicaSettings.Log log : ReplicaSettings.Log.values()) {
            try (MemberFolder again = folder(FIRST, log)) {
                String message =
                        assertThrows(OrderedLogException.class, again::claim).getMessage();
                assertTrue(message.contains("kept its log in memory"), message);
            }
        }
    }

    /** As for a damaged inode: nothing tells whether the mark is there. */
    @Test
    void aMarkThatCannotBeReadCounts() throws IOException {
        start(FIRST);
        Path mark = file().resolveSibling("log-in-memory");
        Files.createSymbolicLink(mark, mark);
        assertFalse(Files.exists(mark));
        String message =
                assertThrows(OrderedLogException.class, () -> start(FIRST)).getMessage();
        assertTrue(message.contains("kept its log in memory"), message);
    }

    @Test
    void aFileThatIsGoneIsNoFirstStartOnceThereIsALog() throws IOException {
        start(FIRST);
        Files.delete(file());
        Files.write(file().resolveSibling("members.new"), new byte[7]);
        assertEquals(Member.parseList(FIRST), start(FIRST), "it died before its log began");
        Files.delete(file());
        Files.createDirectory(file().resolveSibling("a.log"));
        refused("gone");
    }
}
