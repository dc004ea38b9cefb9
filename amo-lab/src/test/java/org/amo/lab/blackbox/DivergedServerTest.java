package org.amo.lab.blackbox;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.amo.core.request.Refusal;
import org.amo.lab.blackbox.RawClient.Op;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A wrapped CORBA server of which one member's operation has another result. It offers no state. */
@Timeout(120)
final class DivergedServerTest {
    private static final int ENVIRONMENT = 3;

    @TempDir
    Path folder;

    @Test
    void theOperationIsNamedWithinTwoSecondsAndTheMajorityGoesOn() throws IOException {
        try (BankCluster group = BankCluster.start(BankCluster.Settings.bank("diverged")
                .main(ProbeServer.class)
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
            await().atMost(Duration.ofSeconds(2)).until(() -> c.said().contains("operation 'draw'"));

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
        }
    }

    /** While that file is there, the member gives another result. */
    private Path odd(String member) {
        return folder.resolve("odd-" + member);
    }

    private static Op add(String operation) {
        return new Op(operation, true, arguments -> arguments.longLong(1));
    }
}
