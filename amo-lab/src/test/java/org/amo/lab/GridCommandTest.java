package org.amo.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.amo.cli.Amo;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.ExternalCommand;
import org.amo.lab.cluster.Programs;
import org.amo.replication.FreePorts;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The tutorial about ordered multicast: two processes, and a kill -9 of the one that has the sequencer. */
@Timeout(120)
final class GridCommandTest {
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final String WORKS = "site %d: [1-9]\\d* operations, \\d+ requests timed out; units";
    private static final int OF_CTRL_C = 130;

    @TempDir
    private Path folder;

    private final List<Integer> ports = FreePorts.find(4);
    private final List<Site> started = new ArrayList<>();

    private final class Site {
        private final List<String> lines = new CopyOnWriteArrayList<>();
        private final Child child;

        Site() {
            List<String> words = List.of(
                    "grid",
                    "--sites",
                    "127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(1),
                    "--sequencers",
                    "127.0.0.1:" + ports.get(2) + ",127.0.0.1:" + ports.get(3));
            String name = "grid" + started.size();
            child = Child.talking(name, Programs.small(Amo.class, words).words(), folder.resolve(name), lines::add);
            started.add(this);
        }

        /** Until it prints such a line from now on. */
        void await(String pattern) {
            awaitLine(Pattern.compile(pattern), lines.size());
        }

        private void awaitLine(Pattern line, int from) {
            Awaitility.await(line.pattern()).atMost(PATIENCE).until(() -> {
                assertTrue(child.isAlive(), () -> lines + child.lastWords());
                return lines.subList(from, lines.size()).stream().anyMatch(line.asMatchPredicate());
            });
        }

        void awaitTitle(int number) {
            awaitLine(
                    Pattern.compile("site " + number + " of 2 at 127\\.0\\.0\\.1:" + ports.get(number - 1)
                            + " with tag sequencer " + number + "; process " + child.pid()),
                    0);
        }
    }

    @AfterEach
    void endAll() {
        started.forEach(site -> site.child.kill());
    }

    @Test
    void oneOfTwoIsKilledWithTheSequencerAndComesBack() {
        Site first = new Site();
        first.awaitTitle(1);
        Site second = new Site();
        second.awaitTitle(2);
        first.await(WORKS.formatted(1) + " .*2.*");
        second.await(WORKS.formatted(2) + " .*1.*");
        first.child.kill();
        assertTrue(first.child.awaitEnd(PATIENCE.toMillis()));
        second.await(WORKS.formatted(2) + "( 2| -){6}");
        Site again = new Site();
        again.awaitTitle(1);
        again.await(WORKS.formatted(1) + " .*");
        ExternalCommand.run("sh", "-c", "kill -INT " + second.child.pid());
        assertTrue(second.child.awaitEnd(PATIENCE.toMillis()));
        assertEquals(OF_CTRL_C, second.child.exitCode());
        again.await(WORKS.formatted(1) + "( 1| -){6}");
    }
}
