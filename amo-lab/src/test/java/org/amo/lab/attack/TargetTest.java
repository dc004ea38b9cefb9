package org.amo.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An attack that did not take place must not pass. */
@Timeout(30)
final class TargetTest {
    private static final Path NONE = Path.of("none");

    private final AttackRate pace = new AttackRate(60_000);

    private static Target target(int port) {
        return new Target(Service.BANK, List.of(new Member("a", "127.0.0.1", port, port)), NONE, NONE, 7);
    }

    @Test
    void anAttackWithoutAStepIsNone() {
        try (Target target = target(1)) {
            assertEquals(Optional.of("the attack did not take a step"), target.lack(pace));
        }
    }

    @Test
    void anAttackWhoseConnectionsWereAllRefusedIsNone() throws Exception {
        int closed;
        try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = port.getLocalPort();
        }
        try (Target target = target(closed)) {
            pace.each(3, 1_000, target::client);
            assertEquals(3, pace.refused());
            assertEquals(Optional.of("the attack could open none of its 3 connections"), target.lack(pace));
        }
    }

    @Test
    void anAttackOnAMemberThatRefusesLaterIsOne() throws Exception {
        try (ServerSocket port = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
                Target target = target(port.getLocalPort())) {
            pace.each(2, 1_000, i -> {
                target.order(i).send(new byte[1]);
                throw new IOException("refused");
            });
            assertEquals(2, pace.refused());
            assertEquals(Optional.empty(), target.lack(pace));
        }
    }

    @Test
    void anAttackOverAnotherTransportNeedsStepsAlone() throws Exception {
        try (Target target = target(1)) {
            pace.each(1, 1_000, i -> {});
            assertEquals(Optional.empty(), target.lack(pace));
            assertThrows(IOException.class, () -> target.client(0));
        }
    }
}
