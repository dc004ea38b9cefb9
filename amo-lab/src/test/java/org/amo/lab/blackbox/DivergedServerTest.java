package org.amo.lab.blackbox;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.lab.blackbox.RawClient.Op;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A wrapped CORBA server without the agent. One member's operation has another result, and then an operation of all members: they
 * draw. It offers no state.
 */
@Timeout(120)
final class DivergedServerTest {
    private static final int ENVIRONMENT = 3;
    private static final Duration TO_BE_NAMED = Duration.ofSeconds(2);

    @TempDir
    Path folder;

    @Test
    void theOperationIsNamedWithinTwoSecondsAndTheMajorityGoesOnOrWithoutOneTheGroupStops() throws IOException {
        try (BankCluster group = BankCluster.start(BankCluster.Settings.bank("diverged")
                .main(ProbeServer.class)
                .property("amo.deterministic", "none")
                .property("a", "probe.odd", odd("a").toString())
                .property("b", "probe.odd", odd("b").toString())
                .property("c", "probe.odd", odd("c").toString()))) {
            // The leader sends the other members its results: replies of a diverged leader before the verdict are its
            // own.
            MemberProcess a = group.leader();
            MemberProcess c = group.follower();
            Path odd = odd(c.id());
            RawClient client = new RawClient(group.reference()).learn(a);
            assertEquals(1, client.send(a, client.call(), add("add")).value());
            Files.createFile(odd);
            assertEquals(2, client.send(a, client.call(), add("draw")).value());
            await().atMost(TO_BE_NAMED).until(() -> c.said().contains("operation 'draw'"));

            assertEquals(
                    Optional.of(Refusal.OVERLOADED),
                    client.send(c, client.call(), add("add")).amo().refusal());
            for (int i = 3; i <= 20; i++) {
                assertEquals(i, client.send(a, client.call(), add("add")).value());
            }
            group.awaitThat("c ends", () -> !c.isUp());
            assertEquals(ENVIRONMENT, c.exitCode());
            assertTrue(c.said().contains("has taken the state of another member"), c.said());

            Files.delete(odd);
            group.launch(c);
            group.awaitServing();
            group.awaitThat("c is repaired", () -> c.said().contains("is equal to the majority again"));
            // It refuses calls until it has heard of the leader.
            group.awaitThat(
                    "c serves", () -> client.send(c, client.call(), add("add")).status() == Giop.NO_EXCEPTION);
            assertEquals(22, client.send(c, client.call(), add("add")).value());
            group.awaitEqual();
            assertTrue(
                    c.status().text("divergence").contains("operation 'draw'"),
                    c.status().text("divergence"));
            assertEquals(1, a.status().number("diverged"));
            assertEquals(0, c.status().number("divergedAt"));
            withoutAMajorityTheOperationIsNamedAndTheGroupStops(group, client);
        }
    }

    /** Each member has drawn another number, so none of them is in a majority. */
    private static void withoutAMajorityTheOperationIsNamedAndTheGroupStops(BankCluster group, RawClient client) {
        MemberProcess leader = group.leader();
        Op uuid = new Op("uuid", true, arguments -> {});
        assertEquals(Giop.NO_EXCEPTION, client.send(leader, client.call(), uuid).status());
        await().atMost(TO_BE_NAMED).until(() -> group.processes().stream()
                .allMatch(member -> member.said().contains("operation 'uuid'")));
        for (MemberProcess member : group.processes()) {
            assertTrue(member.said().contains("no majority of the members has the same digest"), member::said);
            assertEquals(
                    Optional.of(Budget.DIVERGENCE),
                    client.send(member, client.call(), add("add")).amo().budget(),
                    member::said);
            group.awaitThat("the status names it", () -> member.ask()
                    .filter(status -> status.text("divergence").contains("operation 'uuid'"))
                    .isPresent());
            String line = member.status().text("divergence");
            assertTrue(line.contains("so the group takes no requests"), line);
        }
        List<Long> positions = group.numbers("divergedAt");
        assertEquals(1, positions.stream().distinct().count(), positions.toString());
        assertTrue(positions.get(0) > 0, positions.toString());
    }

    /** While that file is there, the member gives another result. */
    private Path odd(String member) {
        return folder.resolve("odd-" + member);
    }

    private static Op add(String operation) {
        return new Op(operation, true, arguments -> arguments.longLong(1));
    }
}
