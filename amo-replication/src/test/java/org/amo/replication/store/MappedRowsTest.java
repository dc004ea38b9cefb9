package org.amo.replication.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import org.amo.replication.DelegatingChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of clients on a disk that is full for a while. */
class MappedRowsTest {
    private static final int MEGABYTE = 1 << 20;

    @TempDir
    private Path folder;

    private final AtomicLong nanos = new AtomicLong(-7);

    @Test
    void aFullDiskGivesPagesOfTheHeapAndIsFullUntilThereIsRoom() throws IOException {
        FillingChannel file = file();
        MappedRows rows = new MappedRows(folder, file, nanos::get);
        file.mostBytes = 5 * MEGABYTE;
        for (int page = 0; page < 4; page++) {
            assertTrue(rows.page(MEGABYTE).isDirect());
        }
        assertFalse(rows.isFull());
        ByteBuffer onHeap = rows.page(MEGABYTE);
        assertFalse(onHeap.isDirect());
        assertEquals(MEGABYTE, onHeap.capacity());
        assertTrue(rows.isFull());
        assertEquals(4 * MEGABYTE, file.size(), "the room that was taken in vain is given back");
        nanos.addAndGet(MappedRows.LOOK_NANOS);
        assertTrue(rows.isFull(), "it was looked for");
        file.mostBytes = Long.MAX_VALUE;
        assertTrue(rows.isFull(), "it is looked for again after some time");
        nanos.addAndGet(MappedRows.LOOK_NANOS);
        assertFalse(rows.isFull());
        assertEquals(8 * MEGABYTE, rows.fileBytes());
        for (int page = 0; page < 4; page++) {
            assertTrue(rows.page(MEGABYTE).isDirect());
        }
        assertEquals(8 * MEGABYTE, rows.fileBytes());
        rows.close();
    }

    @Test
    void clearedPagesAreRoom() throws IOException {
        FillingChannel file = file();
        MappedRows rows = new MappedRows(folder, file, nanos::get);
        assertTrue(rows.page(MEGABYTE).isDirect());
        file.mostBytes = 0;
        for (int page = 1; page < 5; page++) {
            assertEquals(page < 4, rows.page(MEGABYTE).isDirect());
        }
        assertTrue(rows.isFull());
        rows.clear();
        assertFalse(rows.isFull());
        assertTrue(rows.page(MEGABYTE).isDirect());
        rows.close();
    }

    /** It may not grow beyond a limit, as on a disk that becomes full. */
    private static final class FillingChannel extends DelegatingChannel {
        private long mostBytes = Long.MAX_VALUE;

        private FillingChannel(FileChannel real) {
            super(real);
        }

        @Override
        public int write(ByteBuffer from, long at) throws IOException {
            if (at + from.remaining() > mostBytes) {
                throw new IOException("No space left on device");
            }
            return super.write(from, at);
        }
    }

    private FillingChannel file() throws IOException {
        return new FillingChannel(FileChannel.open(
                folder.resolve("rows"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }
}
