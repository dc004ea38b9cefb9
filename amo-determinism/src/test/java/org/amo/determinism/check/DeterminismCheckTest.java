package org.amo.determinism.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.Timer;
import java.util.TimerTask;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check of a plain Java service, of class paths with faults, and of a long class path. */
final class DeterminismCheckTest {
    @TempDir
    private Path folder;

    interface Counters {
        long add(String name, long amount);
    }

    static final class Clean implements Counters {
        private final Map<String, Long> counters = new TreeMap<>();

        @Override
        public long add(String name, long amount) {
            return counters.merge(name, amount, Long::sum);
        }
    }

    static final class Stamping implements Counters {
        private long latest;

        @Override
        public long add(String name, long amount) {
            latest = System.currentTimeMillis();
            return latest + amount;
        }

        public long random() {
            return Math.round(Math.random());
        }
    }

    @Test
    void aServiceWithoutSourcesPasses() {
        DeterminismCheck.of(Clean.class).assertNone();
    }

    @Test
    void aFailureNamesSourceLineAndAdvice() {
        AssertionError failure = assertThrows(
                AssertionError.class, () -> DeterminismCheck.of(Stamping.class).assertNone());
        assertTrue(
                String.valueOf(failure.getMessage())
                        .matches(
                                "(?s)2 sources .*clock .*\\$Stamping.add:\\d+ .*Stamping.add > System.currentTimeMillis; .*"),
                failure.getMessage());
    }

    static final class Starting {
        private long sum;

        public long add(long amount) {
            new Thread(() -> sum += System.nanoTime()).start();
            new Timer()
                    .schedule(
                            new TimerTask() {
                                @Override
                                public void run() {
                                    sum++;
                                }
                            },
                            amount);
            CompletableFuture.runAsync(() -> sum++).join();
            return List.of(amount).parallelStream().mapToLong(each -> each).sum();
        }
    }

    @Test
    void findingsAboutThreadsTimersAndExecutorsNameTheOptionThatOrdersThem() {
        List<Finding> findings = DeterminismCheck.of(Starting.class).findings();
        assertEquals(
                Set.of(SourceKind.THREAD, SourceKind.TIMER, SourceKind.PARALLEL_STREAM, SourceKind.CLOCK),
                findings.stream().map(Finding::kind).collect(Collectors.toSet()));
        for (Finding finding : findings) {
            assertTrue(finding.advice().contains("--threads ordered"), finding::toString);
        }
    }

    static final class Drawing {
        public int draw() {
            Random random = ThreadLocalRandom.current();
            return random.nextInt();
        }

        public int drawByItsName() {
            return ThreadLocalRandom.current().nextInt();
        }

        public void shuffle(List<Integer> list) {
            Collections.shuffle(list, ThreadLocalRandom.current());
        }

        public double jump() {
            return RandomGenerator.JumpableGenerator.of("Xoroshiro128PlusPlus").nextDouble();
        }
    }

    /** The agent does not replace these, and a report that says so would be believed. */
    @Test
    void aGeneratorThatTheAgentMissesIsNotCalledDeterministic() {
        assertEquals(
                Set.of("draw ThreadLocalRandom as another generator", "jump RandomGenerator$JumpableGenerator.of"),
                DeterminismCheck.of(Drawing.class).findings().stream()
                        .filter(finding -> !finding.deterministic())
                        .map(finding -> finding.method() + " " + finding.source())
                        .collect(Collectors.toSet()));
    }

    @Test
    void theMethodsOfAnInterfaceAreOperationsOfAllItsClasses() {
        assertEquals(
                List.of("DeterminismCheckTest$Stamping.add"),
                DeterminismCheck.of(Counters.class).findings().stream()
                        .map(finding -> finding.path().get(0))
                        .toList());
    }

    @Test
    void theAgentCoversSomeFindings() {
        DeterminismCheck.of(Stamping.class).underAgent().assertNone();
    }

    @Test
    void acceptedFindingsAreLeftOutByKindAndPlace() {
        String type = Stamping.class.getName();
        assertEquals(
                1,
                DeterminismCheck.of(Stamping.class).accept("clock").findings().size());
        assertEquals(
                1,
                DeterminismCheck.of(Stamping.class)
                        .accept(type + ".add")
                        .findings()
                        .size());
        assertEquals(
                1,
                DeterminismCheck.of(Stamping.class)
                        .accept("random:" + type)
                        .findings()
                        .size());
        ScanResult all = DeterminismCheck.of(Stamping.class)
                .accept("org.amo.*", "file:" + type)
                .run();
        assertEquals(List.of(), all.findings());
        assertEquals(2, all.accepted());
        assertTrue(all.limits().contains("accepted but not found: file:" + type), all.limits()::toString);
        assertThrows(
                ScanException.class, () -> DeterminismCheck.of(Stamping.class).accept("watches:" + type));
    }

    @Test
    void aMissingClassIsNamedOnceAsALimit() throws IOException {
        PlantedProgram.compile("planted", folder);
        Path classes = folder.resolve("classes");
        Files.delete(classes.resolve("planted/LedgerChoice.class"));
        ScanResult result = DeterminismCheck.ofClassPath(List.of(classes)).run();
        assertEquals(
                List.of("planted.LedgerChoice is not on the class path: its methods are not scanned"),
                result.limits().stream()
                        .filter(limit -> limit.contains("class path"))
                        .toList());
        assertTrue(
                result.limits().stream()
                        .anyMatch(limit -> limit.contains("TillServant.ways:")
                                && limit.endsWith(
                                        " calls Constructor.newInstance: the scan does not follow reflection")),
                result.limits()::toString);
        assertEquals(List.of(), result.broken());
    }

    @Test
    void aBrokenClassIsNamedAndTheOthersAreScanned() throws IOException {
        PlantedProgram.compile("planted", folder);
        Path classes = folder.resolve("classes");
        Path file = classes.resolve("planted/LedgerChoice.class");
        byte[] content = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(content, content.length / 2));
        ScanResult result = DeterminismCheck.ofClassPath(List.of(classes)).run();
        assertEquals(1, result.broken().size(), result.broken()::toString);
        assertTrue(result.broken().get(0).startsWith("planted.LedgerChoice cannot be read"), result.broken()::toString);
        assertTrue(result.findings().size() > 70);
    }

    @Test
    void aJarThatIsNoneAndAnEntryThatDoesNotExistAreNamed() throws IOException {
        Path program = PlantedProgram.compile("planted", folder);
        Path noJar = Files.writeString(folder.resolve("no.jar"), "text");
        Path nothing = folder.resolve("nothing");
        ScanResult result =
                DeterminismCheck.ofClassPath(List.of(program, noJar, nothing)).run();
        assertTrue(result.broken().get(0).startsWith(noJar + " is no readable jar"), result.broken()::toString);
        assertTrue(result.limits().contains(nothing + " on the class path does not exist"), result.limits()::toString);
    }

    @Test
    void withoutOperationsThereIsNoResult() throws IOException {
        DeterminismCheck empty = DeterminismCheck.ofClassPath(List.of(folder));
        assertThrows(ScanException.class, empty::run);
        assertThrows(ScanException.class, () -> empty.entries(List.of("no.such.Type"))
                .run());
    }

    @Test
    void excludedPackagesAreNotEntered() throws IOException {
        Path program = PlantedProgram.compile("planted", folder);
        ScanResult result = DeterminismCheck.ofClassPath(List.of(program))
                .entries(List.of("planted.TillServant"))
                .without(List.of("planted.BaseLedger"))
                .run();
        assertTrue(
                result.findings().stream().noneMatch(finding -> finding.type().equals("planted.BaseLedger")));
        assertTrue(result.findings().stream().anyMatch(finding -> finding.type().equals("planted.PlainLedger")));
    }

    /** JacORB as an application: a thousand classes and more. */
    @Test
    void aLongClassPathTakesSeconds() throws URISyntaxException {
        Path jar = Path.of(org.jacorb
                .orb
                .ORB
                .class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        long begin = System.nanoTime();
        ScanResult result = DeterminismCheck.ofClassPath(List.of(jar))
                .entries(List.of("org.jacorb.orb.ORB"))
                .run();
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        System.out.println("JacORB: " + result.classes() + " classes, " + result.methods() + " methods reached, "
                + result.findings().size() + " findings, " + millis + " ms");
        assertTrue(result.methods() > 3_000, () -> "methods: " + result.methods());
        assertTrue(result.sources().keySet().containsAll(List.of("clock", "socket", "thread", "file")));
        assertTrue(millis < TimeUnit.MINUTES.toMillis(1), () -> millis + " ms");
    }
}
