package org.amo.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.core.order.Member;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An attack that did not take place must not pass, and attacks on one group must not meet each other. */
@Timeout(30)
final class TargetTest {
    private static final Path NONE = Path.of("none");

    private final AttackRate pace = new AttackRate(60_000);

    private static Target target(int port) {
        return target("x", port);
    }

    private static Target target(String attack, int port) {
        return new Target(attack, Service.BANK, List.of(new Member("a", "127.0.0.1", port, port)), NONE, NONE, 7);
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

    @Test
    void noTwoAttacksHaveAnAccountOrAClientIdInCommon() {
        Set<String> accounts = new HashSet<>();
        Set<Long> ids = new HashSet<>();
        for (Attack attack : Attacks.all()) {
            try (Target target = target(attack.name(), 1)) {
                assertTrue(accounts.add(target.account()), attack.name());
                assertTrue(accounts.add(target.account("other")), attack.name());
                assertTrue(ids.add(target.random().nextLong()), attack.name());
            }
        }
    }

    @Test
    void theSameSeedGivesAnAttackTheSameNumbers() {
        try (Target one = target(1);
                Target other = target(1)) {
            assertEquals(one.random().nextLong(), other.random().nextLong());
        }
    }
}
