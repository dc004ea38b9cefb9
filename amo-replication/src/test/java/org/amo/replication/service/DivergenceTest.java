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
import java.util.TreeMap;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;
import org.amo.replication.service.DivergentMember.Accounts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three members in processes of their own, whose service is not deterministic at one of them, or at all. */
@Timeout(180)
final class DivergenceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration TO_BE_NAMED = Duration.ofSeconds(2);

    @TempDir
    Path folder;

    private final Map<String, SupervisedMember> members = new TreeMap<>();
    private String list = "";

    @AfterEach
    void endAll() {
        members.values().forEach(SupervisedMember::end);
    }

    @Test
    void aMinorityTakesTheStateOfTheMajorityAndWithoutAMajorityNoRequestIsTaken() throws IOException {
        start();
        aMemberWithAnotherResultIsNamedWithItsOperationAndRejoinsWithTheStateOfTheMajority();
        withoutAMajorityTheOperationIsNamedAndNoRequestIsTaken();
    }

    private void aMemberWithAnotherResultIsNamedWithItsOperationAndRejoinsWithTheStateOfTheMajority()
            throws IOException {
        try (AmoClient client = client()) {
            Accounts accounts = client.proxy(Accounts.class);
            assertEquals(1, accounts.add(1));
            Path odd = Files.createFile(folder.resolve("odd-c"));
            accounts.draw(1);
            SupervisedMember c = members.get("c");
            await().atMost(TO_BE_NAMED).until(() -> c.hasSaid("operation 'draw'"));
            for (int i = 1; i <= 50; i++) {
                assertEquals(2 + i, accounts.add(1));
            }
            await().atMost(PATIENCE).until(() -> c.hasSaid("has taken the state of another member"));
            Files.delete(odd);
            await().atMost(PATIENCE).until(() -> c.hasSaid("is equal to the majority again"));
            assertEquals(53, accounts.add(1));
            awaitAgreement();
            assertEquals(List.of(3), c.exits());
            String status = c.ask().orElse("");
            assertTrue(status.contains("[was repaired; it had diverged: differs first at position"), status);
            await().atMost(PATIENCE).untilAsserted(() -> {
                accounts.add(1);
                String others = members.get("a").ask().orElse("");
                assertTrue(others.contains(" 1 1 []"), others);
            });
            assertEquals(List.of(), members.get("a").exits());
            assertEquals(List.of(), members.get("b").exits());
        }
    }

    private void withoutAMajorityTheOperationIsNamedAndNoRequestIsTaken() {
        try (AmoClient client = client(Duration.ofSeconds(3))) {
            Accounts accounts = client.proxy(Accounts.class);
            accounts.token();
            await().atMost(TO_BE_NAMED)
                    .until(() -> members.values().stream().allMatch(member -> member.hasSaid("operation 'token'")));
            members.forEach(
                    (id, member) -> assertTrue(member.hasSaid("no majority of the members has the same digest"), id));
            AmoNotExecutedException why = assertThrows(AmoNotExecutedException.class, () -> accounts.add(1));
            assertTrue(why.getMessage().contains("states differ and none has a majority"), why.getMessage());
        }
    }

    @Test
    @Tag("slow")
    void aMemberWithoutAStateToTakeRunsItsLogAnew() throws IOException {
        Files.createFile(folder.resolve("stateless"));
        start();
        try (AmoClient client = client()) {
            Accounts accounts = client.proxy(Accounts.class);
            assertEquals(1, accounts.add(1));
            Path odd = Files.createFile(folder.resolve("odd-b"));
            accounts.draw(1);
            SupervisedMember b = members.get("b");
            await().atMost(PATIENCE).until(() -> b.hasSaid("operation 'draw'"));
            Files.delete(odd);
            await().atMost(PATIENCE).until(() -> b.hasSaid("is equal to the majority again"));
            assertEquals(3, accounts.add(1));
            awaitAgreement();
            assertTrue(
                    b.hasSaid("start it again, and it runs its log anew"),
                    b.said().toString());
        }
    }

    private void start() {
        list = Member.format(FreePorts.members(3));
        for (String id : List.of("a", "b", "c")) {
            members.put(id, new SupervisedMember(DivergentMember.class, id, list, folder.toString()));
        }
    }

    private AmoClient client() {
        return client(Duration.ofSeconds(60));
    }

    private AmoClient client(Duration deadline) {
        return AmoClient.builder("accounts")
                .members(list)
                .insecure()
                .deadline(deadline)
                .build();
    }

    private void awaitAgreement() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            List<String> told = new ArrayList<>();
            members.forEach((id, member) -> told.add(member.ask()
                    .map(line -> String.join(" ", List.of(line.split(" ", -1)).subList(0, 4)))
                    .orElse("silent " + id)));
            assertEquals(1, told.stream().distinct().count(), told.toString());
        });
    }
}
