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
        Path odd = folder.resolve("odd");
        try (BankCluster group = BankCluster.start(BankCluster.Settings.bank("diverged")
                .main(ProbeServer.class)
                .property("c", "probe.odd", odd.toString()))) {
            MemberProcess a = group.member(0);
            MemberProcess c = group.member(2);
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
            assertTrue(c.said().contains("start it again, and it runs its log anew"), c.said());

            Files.delete(odd);
            group.launch(c);
            group.awaitServing();
            group.awaitThat("c is repaired", () -> c.said().contains("is equal to the majority again"));
            assertEquals(21, client.send(c, client.call(), add("add")).value());
            group.awaitEqual();
            assertTrue(
                    c.status().text("divergence").contains("operation 'draw'"),
                    c.status().text("divergence"));
            assertEquals(1, a.status().number("diverged"));
        }
    }

    private static Op add(String operation) {
        return new Op(operation, true, arguments -> arguments.longLong(1));
    }
}
