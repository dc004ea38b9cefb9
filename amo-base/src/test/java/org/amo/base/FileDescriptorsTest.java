package org.amo.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileDescriptorsTest {
    @TempDir
    private Path folder;

    private long most(String row) throws IOException {
        return FileDescriptors.most(Files.writeString(
                folder.resolve("limits"),
                "Limit                     Soft Limit           Hard Limit           Units     \n" + row + "\n"));
    }

    @Test
    void theLimitIsTheOneThatTheKernelEnforces() throws IOException {
        assertEquals(1_024, most("Max open files            1024                 524288               files     "));
        assertEquals(Long.MAX_VALUE, most("Max open files            unlimited            unlimited            files"));
        assertEquals(Long.MAX_VALUE, most("Max processes             1024                 1024                 processes"));
        assertEquals(Long.MAX_VALUE, FileDescriptors.most(folder.resolve("nowhere")));
        assertTrue(FileDescriptors.most() > 0);
    }

    @Test
    void aPortTakesItsPartAtMost() {
        assertEquals(900, FileDescriptors.connections(900, 2, Long.MAX_VALUE));
        assertEquals(900, FileDescriptors.connections(900, 2, 1_800));
        assertEquals(512, FileDescriptors.connections(900, 2, 1_024));
        assertEquals(16, FileDescriptors.connections(900, 2, 20));
    }
}
