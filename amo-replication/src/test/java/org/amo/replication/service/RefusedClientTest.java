package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.amo.meetings.OpenFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Timeout(120)
class RefusedClientTest {
    private static final int TRIES = 50;

    /** A program that tries again would run out of descriptors. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aClientWithASettingThatCannotWorkLeavesNoSelectorOpen() {
        List<UnaryOperator<AmoClient.Builder>> mistakes = List.<UnaryOperator<AmoClient.Builder>>of(
                builder -> builder.maxCalls(0),
                builder -> builder.maxMegabytes(0),
                builder -> builder.deadline(Duration.ZERO));
        long before = selectors();
        for (int i = 0; i < TRIES; i++) {
            for (UnaryOperator<AmoClient.Builder> mistake : mistakes) {
                AmoClient.Builder builder = mistake.apply(
                        AmoClient.builder("absent").members("a=127.0.0.1:1/2").insecure());
                assertThrows(IllegalArgumentException.class, builder::build);
            }
        }
        long left = selectors() - before;
        // Tests beside this one may have opened some.
        assertTrue(left < TRIES, left + " are open of " + mistakes.size() * TRIES);
    }

    private static long selectors() {
        return OpenFiles.in(Path.of("anon_inode:[eventpoll]")).size();
    }
}
