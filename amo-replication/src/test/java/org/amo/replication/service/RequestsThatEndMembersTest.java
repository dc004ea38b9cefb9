package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.amo.replication.service.FragileMember.Fragile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three members in processes of their own, each started again whenever it ends, as a supervisor would. */
@Timeout(240)
final class RequestsThatEndMembersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final int REQUESTS = 15;

    @TempDir
    Path folder;

    private final Map<String, Supervised> members = new TreeMap<>();
    private String list = "";

    /** A member, its lives, and what it said in all of them. */
    private final class Supervised {
        private final String id;
        private final List<String> said = new CopyOnWriteArrayList<>();
        private final List<Integer> exits = new CopyOnWriteArrayList<>();
        private volatile boolean over;
        private volatile Process process;

        Supervised(String id) {
            this.id = id;
            process = start();
        }

        private Process start() {
            try {
                Process started = new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-Xmx64m",
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+ExitOnOutOfMemoryError",
                                "-cp",
                                System.getProperty("java.class.path"),
                                FragileMember.class.getName(),
                                id,
                                list,
                                folder.toString())
                        .redirectErrorStream(true)
                        .start();
                Thread reader = new Thread(() -> read(started), "supervisor-" + id);
                reader.setDaemon(true);
                reader.start();
                return started;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void read(Process from) {
            try (BufferedReader in =
                    new BufferedReader(new InputStreamReader(from.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    said.add(line);
                }
                exits.add(from.waitFor());
            } catch (IOException e) {
                exits.add(-1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (!over) {
                process = start();
            }
        }

        private Optional<String> where() {
            int before = said.size();
            try {
                process.getOutputStream().write('\n');
                process.getOutputStream().flush();
            } catch (IOException e) {
                return Optional.empty();
            }
            long end = System.nanoTime() + 2_000_000_000L;
            while (System.nanoTime() < end) {
                for (int i = before; i < said.size(); i++) {
                    if (said.get(i).startsWith("at ")) {
                        return Optional.of(said.get(i));
                    }
                }
                Thread.onSpinWait();
            }
            return Optional.empty();
        }

        boolean hasSaid(String part) {
            return said.stream().anyMatch(line -> line.contains(part));
        }

        void end() {
            over = true;
            process.destroyForcibly();
        }
    }

    @BeforeEach
    void startThree() {
        list = Member.format(FreePorts.members(3));
        for (String id : List.of("a", "b", "c")) {
            members.put(id, new Supervised(id));
        }
    }

    @AfterEach
    void endAll() {
        members.values().forEach(Supervised::end);
    }

    @Test
    void aRequestThatEndsAllMembersIsSkippedAndTheGroupGoesOn() {
        try (AmoClient client = client()) {
            Fragile fragile = client.proxy(Fragile.class);
            assertEquals(1, fragile.add(1));
            AmoNotExecutedException why = assertThrows(AmoNotExecutedException.class, () -> fragile.overflowAt("abc"));
            assertTrue(why.getMessage().contains("ended the members"), why.getMessage());
            // Nothing of it is in the state, at any member.
            assertEquals(3, fragile.add(2));
            awaitAgreement();
            for (Supervised member : members.values()) {
                assertEquals(List.of(3), member.exits, member.id + " said " + member.said);
                assertTrue(
                        member.hasSaid("member " + member.id + " of group fragile ends: java.lang.StackOverflowError"),
                        member.said.toString());
            }
        }
    }

    @Test
    void aMemberThatAloneEndsTakesTheStateOfAnotherAndTheOthersAnswerMeanwhile() {
        try (AmoClient client = client()) {
            Fragile fragile = client.proxy(Fragile.class);
            assertEquals(1, fragile.add(1));
            assertEquals(1_001, fragile.overflowAt("b"));
            for (int i = 1; i <= 50; i++) {
                assertEquals(1_001 + i, fragile.add(1));
            }
            Supervised b = members.get("b");
            await().atMost(PATIENCE).until(() -> b.hasSaid("has taken the state of another member"));
            assertEquals(1_052, fragile.add(1));
            awaitAgreement();
            assertEquals(List.of(), members.get("a").exits);
            assertEquals(List.of(), members.get("c").exits);
        }
    }

    /** The client has the reply. The others have died of the request before its member, killed since, comes to it again. */
    @Test
    void whatAMemberRanBeforeItWasKilledIsNotSkipped() throws IOException {
        try (AmoClient client = client()) {
            Fragile fragile = client.proxy(Fragile.class);
            for (int i = 1; i <= 4; i++) {
                assertEquals(i, fragile.addSlowly(1));
            }
            assertEquals(1_004, fragile.overflowAt("bc"));
            Files.createFile(folder.resolve("slow-a"));
            members.get("a").process.destroyForcibly();
            assertEquals(1_005, fragile.add(1));
            awaitAgreement();
            for (String id : List.of("b", "c")) {
                assertTrue(
                        members.get(id).hasSaid("ended member " + id + ", which is no accident"),
                        members.get(id).said::toString);
            }
        }
    }

    @Test
    void aMemberWithoutMemoryEndsAndComesBack() {
        try (AmoClient client = client(Duration.ofSeconds(3))) {
            Fragile fragile = client.proxy(Fragile.class);
            byte[] large = new byte[8 << 20];
            int answered = 0;
            for (int i = 0; i < REQUESTS; i++) {
                try {
                    assertEquals(large.length, fragile.take(large));
                    answered++;
                } catch (AmoException e) {
                    // Refused, skipped or unknown; the members have to live on.
                    assertTrue(e.getMessage() != null, e.toString());
                }
            }
            System.out.println("of " + REQUESTS + " requests of 8 MB at -Xmx64m " + answered + " were answered; exits "
                    + members.values().stream().map(member -> member.exits).toList());
            await().atMost(PATIENCE).until(() -> added(fragile));
            awaitAgreement();
        }
    }

    private static boolean added(Fragile fragile) {
        try {
            return fragile.add(1) > 0;
        } catch (AmoException e) {
            return false;
        }
    }

    private AmoClient client() {
        return client(Duration.ofSeconds(60));
    }

    private AmoClient client(Duration deadline) {
        return AmoClient.builder("fragile")
                .members(list)
                .insecure()
                .deadline(deadline)
                .build();
    }

    private void awaitAgreement() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            List<String> told = new ArrayList<>();
            members.values().forEach(member -> told.add(member.where().orElse("silent " + member.id)));
            assertEquals(1, told.stream().distinct().count(), told.toString());
            String[] words = told.get(0).split(" ", -1);
            assertEquals(words[1], words[2], told.toString());
        });
    }
}
