package org.amo.replication.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.amo.replication.service.FragileMember.Fragile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three members in processes of their own, each started again whenever it ends, as a supervisor would. One group serves all
 * tests; large requests come last, since members run them again at each start.
 */
@Timeout(240)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class RequestsThatEndMembersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(100);

    @TempDir
    private static Path folder = Path.of("unset");

    private static final Map<String, SupervisedMember> members = new TreeMap<>();
    private static String list = "";

    /** Before the test's own requests. */
    private long sum;

    @BeforeAll
    static void startThree() {
        list = Member.format(FreePorts.members(3));
        for (String id : List.of("a", "b", "c")) {
            members.put(
                    id,
                    new SupervisedMember(
                            List.of(
                                    "-XX:+ExitOnOutOfMemoryError",
                                    "-XX:OnOutOfMemoryError=:>"
                                            + folder.resolve("fragile")
                                                    .resolve(id)
                                                    .resolve("out-of-memory")),
                            FragileMember.class,
                            id,
                            list,
                            folder.toString()));
        }
    }

    @BeforeEach
    void forgetEarlierTests() {
        try (AmoClient client = client()) {
            sum = client.proxy(Fragile.class).add(0);
        }
        awaitAgreement();
        members.values().forEach(SupervisedMember::forget);
    }

    @AfterEach
    void makeMembersFast() throws IOException {
        Files.deleteIfExists(folder.resolve("slow-a"));
    }

    @AfterAll
    static void endAll() {
        members.values().forEach(SupervisedMember::end);
    }

    /** The next test does it by the heap, and the one behind it overflows the stack of one member. */
    @Test
    @Tag("slow")
    void aRequestThatEndsAllMembersIsSkippedAndTheGroupGoesOn() {
        try (AmoClient client = client()) {
            Fragile fragile = client.proxy(Fragile.class);
            assertEquals(sum + 1, fragile.add(1));
            AmoNotExecutedException why = assertThrows(AmoNotExecutedException.class, () -> fragile.overflowAt("abc"));
            assertTrue(why.getMessage().contains("ended the members"), why.getMessage());
            // Nothing of it is in the state, at any member.
            assertEquals(sum + 3, fragile.add(2));
            awaitAgreement();
            members.forEach((id, member) -> {
                assertEquals(List.of(3), member.exits(), id + " said " + member.said());
                assertTrue(
                        member.hasSaid("member " + id + " of group fragile ends: java.lang.StackOverflowError"),
                        member.said().toString());
            });
        }
    }

    @Test
    void aRequestThatTakesAllMemoryIsSkippedAfterOneDeathOfEachMember() {
        try (AmoClient client = client()) {
            Fragile fragile = client.proxy(Fragile.class);
            AmoNotExecutedException why = assertThrows(AmoNotExecutedException.class, () -> fragile.exhaustAt("abc"));
            assertTrue(why.getMessage().contains("ended the members"), why.getMessage());
            // Nothing of it is in the state, at any member.
            assertEquals(sum + 2, fragile.add(2));
            awaitAgreement();
            members.forEach((id, member) -> assertEquals(List.of(3), member.exits(), id + " said " + member.said()));
        }
    }

    @Test
    void aMemberWhoseStackOrHeapAloneEndsTakesTheStateOfAnotherAndTheOthersAnswerMeanwhile() {
        try (AmoClient client = client()) {
            Fragile fragile = client.proxy(Fragile.class);
            assertEquals(sum + 1, fragile.add(1));
            assertEquals(sum + 1_001, fragile.overflowAt("b"));
            for (int i = 1; i <= 50; i++) {
                assertEquals(sum + 1_001 + i, fragile.add(1));
            }
            SupervisedMember b = members.get("b");
            await().atMost(PATIENCE).until(() -> b.hasSaid("has taken the state of another member"));
            assertTrue(b.hasSaid("member b of group fragile ends: java.lang.StackOverflowError"), b.said()::toString);
            assertEquals(sum + 1_052, fragile.add(1));
            awaitAgreement();
            int ends = b.exits().size();

            assertEquals(sum + 2_052, fragile.exhaustAt("b"));
            assertEquals(sum + 2_053, fragile.add(1));
            await().atMost(PATIENCE).until(() -> b.exits().size() > ends);
            assertEquals(Set.of(3), Set.copyOf(b.exits()));
            awaitAgreement();
            assertEquals(List.of(), members.get("a").exits());
            assertEquals(List.of(), members.get("c").exits());
        }
    }

    /** The client has the reply. The others have died of the request before its member, killed since, comes to it again. */
    @Test
    @Tag("slow")
    void whatAMemberRanBeforeItWasKilledIsNotSkipped() throws IOException {
        try (AmoClient client = client()) {
            Fragile fragile = client.proxy(Fragile.class);
            for (int i = 1; i <= 4; i++) {
                assertEquals(sum + i, fragile.addSlowly(1));
            }
            assertEquals(sum + 1_004, fragile.overflowAt("bc"));
            Files.createFile(folder.resolve("slow-a"));
            members.get("a").kill();
            assertEquals(sum + 1_005, fragile.add(1));
            awaitAgreement();
            for (String id : List.of("b", "c")) {
                assertTrue(
                        members.get(id).hasSaid("ended member " + id + ", which is no accident"),
                        members.get(id).said()::toString);
            }
        }
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void aLargeRequestLeavesTheGroupRunning() {
        largeRequests(1);
    }

    @Test
    @Tag("slow")
    @Order(Integer.MAX_VALUE)
    void manyLargeRequestsLeaveTheGroupRunning() {
        largeRequests(15);
    }

    private void largeRequests(int requests) {
        try (AmoClient client = client(Duration.ofSeconds(3))) {
            Fragile fragile = client.proxy(Fragile.class);
            byte[] large = new byte[8 << 20];
            int answered = 0;
            for (int i = 0; i < requests; i++) {
                try {
                    assertEquals(large.length, fragile.take(large));
                    answered++;
                } catch (AmoException e) {
                    // Refused, skipped or unknown; the members have to live on.
                    assertTrue(e.getMessage() != null, e.toString());
                }
            }
            System.out.println("of " + requests + " requests of 8 MB at -Xmx64m " + answered + " were answered; exits "
                    + members.values().stream().map(SupervisedMember::exits).toList());
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
            members.forEach((id, member) -> told.add(member.ask().orElse("silent " + id)));
            assertEquals(1, told.stream().distinct().count(), told.toString());
            String[] words = told.get(0).split(" ", -1);
            assertEquals(words[1], words[2], told.toString());
        });
    }
}
