package org.amo.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessLimitsTest {
    @TempDir
    private Path root;

    private ProcessLimits limits = new ProcessLimits(Path.of("unset"));

    @BeforeEach
    void setRoot() {
        limits = new ProcessLimits(root);
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.resolveSibling(""));
        Files.writeString(path, text + "\n");
    }

    private long descriptors(String row) throws IOException {
        write(
                "proc/self/limits",
                "Limit                     Soft Limit           Hard Limit           Units     \n" + row);
        return limits.descriptors();
    }

    @Test
    void descriptorsAreThoseThatTheKernelGives() throws IOException {
        assertEquals(Long.MAX_VALUE, limits.descriptors(), "nothing tells");
        assertEquals(1_024, descriptors("Max open files            1024                 524288               files"));
        assertEquals(
                Long.MAX_VALUE,
                descriptors("Max open files            unlimited            unlimited            files"));
        assertEquals(
                Long.MAX_VALUE,
                descriptors("Max processes             1024                 1024                 processes"));
    }

    @Test
    void threadsAreThoseOfTheTightestControlGroup() throws IOException {
        assertEquals(Long.MAX_VALUE, limits.threads(), "nothing tells");
        write("proc/self/cgroup", "0::/system.slice/amo.service");
        assertEquals(Long.MAX_VALUE, limits.threads(), "no group has a limit");
        write("sys/fs/cgroup/system.slice/amo.service/pids.max", "max");
        assertEquals(Long.MAX_VALUE, limits.threads());
        write("sys/fs/cgroup/system.slice/pids.max", "4915");
        assertEquals(4_915, limits.threads());
        write("sys/fs/cgroup/system.slice/amo.service/pids.max", "512");
        assertEquals(512, limits.threads());
    }

    @Test
    void aContainerKnowsItsOwnLimitByTheRoot() throws IOException {
        write("proc/self/cgroup", "0::/../../kubepods/pod1");
        write("sys/fs/cgroup/pids.max", "1024");
        assertEquals(1_024, limits.threads());
    }

    @Test
    void versionOneHasATreeForThreads() throws IOException {
        write("proc/self/cgroup", "12:cpu,cpuacct:/a\n7:rdma,pids:/docker/b\n0::/docker/b");
        write("sys/fs/cgroup/pids/docker/b/pids.max", "300");
        write("sys/fs/cgroup/cpu/a/pids.max", "5");
        assertEquals(300, limits.threads());
    }

    @Test
    void aPortTakesItsPartAtMost() {
        assertEquals(900, ProcessLimits.share(900, 2, Long.MAX_VALUE));
        assertEquals(900, ProcessLimits.share(900, 2, 1_800));
        assertEquals(512, ProcessLimits.share(900, 2, 1_024));
        assertEquals(16, ProcessLimits.share(900, 2, 20));
        assertTrue(ProcessLimits.connectionsWithThreads(900, 2) <= ProcessLimits.connections(900, 2));
    }
}
