package org.amo.linearizable.rocksdb;

import static org.amo.linearizable.rocksdb.Operations.ALL;
import static org.amo.linearizable.rocksdb.Operations.bytes;
import static org.amo.linearizable.rocksdb.Operations.delete;
import static org.amo.linearizable.rocksdb.Operations.key;
import static org.amo.linearizable.rocksdb.Operations.text;
import static org.amo.linearizable.rocksdb.Operations.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.amo.linearizable.lease.ClusterTime;
import org.amo.linearizable.lease.LeaseAnswer;
import org.amo.linearizable.rocksdb.Operation.Change;
import org.amo.linearizable.rpclog.KeyRange;
import org.amo.linearizable.rpclog.RpcHeader;
import org.amo.linearizable.rpclog.RpcId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A range of many megabytes is taken over in parts, and a server may be killed between any two. */
class RangeBatchTest {
    private static final int MEGABYTE = 1_000_000;
    private static final int OBJECTS = 10;
    private static final int BLOCK = 32 << 10;

    @TempDir
    Path directory;

    private final TestAuthority authority = new TestAuthority();
    private final LeaseAnswer lease = authority.openLease();

    private LinearizableStore open(String name, KeyRange... ranges) {
        LinearizableStore opened = LinearizableStore.open(
                directory.resolve(name),
                List.of(ranges),
                StoreOptions.builder().durability(Durability.FILE).build(),
                authority);
        Awaitility.await().until(() -> get(opened.status()).ready());
        return opened;
    }

    private static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(60, TimeUnit.SECONDS).join();
    }

    private StoreOutcome call(LinearizableStore at, long number, String name, Operation operation) {
        RpcHeader header = new RpcHeader(new RpcId(lease.client(), number), 0, lease.expires(), ClusterTime.ZERO);
        return get(at.call(header, key(name), operation));
    }

    private static Operation longAnswer(String letter) {
        return (object, next) -> Change.put(bytes(letter), bytes(letter.repeat(MEGABYTE)));
    }

    private void takeOver(LinearizableStore at) {
        get(at.takeOver(directory.resolve("dead"), List.of(ALL), () -> CompletableFuture.completedFuture(null)));
        Awaitility.await().until(() -> get(at.status()).ready());
    }

    private void fillDeadServer() {
        try (LinearizableStore dead = open("dead", ALL)) {
            for (int i = 0; i < OBJECTS; i++) {
                get(dead.callUnrecorded(key("object " + i), write("" + i + "x".repeat(MEGABYTE))));
                call(dead, i + 1, "called " + i, longAnswer("" + (char) ('a' + i)));
            }
        }
    }

    @Test
    void noWriteOfATakeoverHasMoreThanAPart() throws IOException {
        fillDeadServer();
        try (LinearizableStore taker = open("taker")) {
            takeOver(taker);
        }
        List<Integer> ends = writes(log("taker"));
        int from = 0;
        long parts = 0;
        for (int end : ends) {
            assertTrue(end - from < RangeBatch.PART_BYTES + MEGABYTE + BLOCK, () -> "ends of the writes: " + ends);
            parts += end - from >= RangeBatch.PART_BYTES ? 1 : 0;
            from = end;
        }
        assertTrue(parts >= 3, () -> "objects and records need several parts: " + ends);
    }

    /** The coordinator was not told: the dead server came back, went on and died again. */
    @Test
    void aServerThatIsKilledBetweenTwoPartsTakesTheRangeOverAnew() throws IOException {
        fillDeadServer();
        try (LinearizableStore taker = open("taker")) {
            takeOver(taker);
        }
        try (LinearizableStore dead = open("dead", ALL)) {
            call(dead, OBJECTS + 1, "object 0", delete());
            call(dead, OBJECTS + 2, "object 1", write("new"));
        }
        List<Integer> ends = writes(log("taker"));
        assertTrue(ends.size() >= 4, () -> "nothing to be cut: " + ends);
        for (int end : ends) {
            String name = "killed-" + end;
            copyUpTo(end, name);
            try (LinearizableStore again = open(name)) {
                assertEquals(
                        StoreOutcome.Status.ELSEWHERE,
                        call(again, 1, "called 0", longAnswer("?")).status(),
                        "a part is served");
                takeOver(again);
                assertEquals(List.of(), value(again, "object 0"));
                assertEquals(List.of("new"), value(again, "object 1"));
                for (int i = 2; i < OBJECTS; i++) {
                    assertEquals(List.of("" + i + "x".repeat(MEGABYTE)), value(again, "object " + i));
                }
                for (int i = 0; i < OBJECTS; i++) {
                    String first = text(
                            call(again, i + 1, "called " + i, longAnswer("?")).result());
                    assertEquals(("" + (char) ('a' + i)).repeat(MEGABYTE), first, "an attempt ran again");
                }
            }
        }
    }

    private static List<String> value(LinearizableStore at, String name) {
        return get(at.read(key(name))).map(object -> text(object.value())).stream()
                .toList();
    }

    /** RocksDB's write-ahead log. */
    private Path log(String name) throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve(name))) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .max(Path::compareTo)
                    .orElseThrow();
        }
    }

    private void copyUpTo(int end, String name) throws IOException {
        Path copy = Files.createDirectory(directory.resolve(name));
        Path log = log("taker");
        try (Stream<Path> files = Files.list(directory.resolve("taker"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                byte[] content = Files.readAllBytes(file);
                Files.write(copy.resolve(file.getFileName()), file.equals(log) ? Arrays.copyOf(content, end) : content);
            }
        }
    }

    /** Where each write ends: its last record has the type 1 (whole) or 4 (last), behind checksum and length. */
    private static List<Integer> writes(Path log) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(log)).order(ByteOrder.LITTLE_ENDIAN);
        List<Integer> ends = new ArrayList<>();
        for (int at = 0; at + 7 <= bytes.limit(); ) {
            if (BLOCK - at % BLOCK < 7) {
                at += BLOCK - at % BLOCK;
                continue;
            }
            int type = bytes.get(at + 6);
            at += 7 + Short.toUnsignedInt(bytes.getShort(at + 4));
            if (type == 1 || type == 4) {
                ends.add(at);
            }
        }
        return ends;
    }
}
