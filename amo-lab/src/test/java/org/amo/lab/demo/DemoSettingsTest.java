package org.amo.lab.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.amo.cli.CliException;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.core.replica.ReplicaSettings.Style;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DemoSettingsTest {

    @Test
    void theDefaultsAreThoseOfTheContract() {
        DemoSettings settings = settings("--seed", "9");
        assertEquals(
                new DemoSettings(
                        3,
                        4,
                        4,
                        20_000,
                        DemoSettings.Kill.CONNECTED,
                        8_000,
                        OptionalLong.of(4_000),
                        Order.RAFT,
                        Log.FSYNC,
                        Style.ACTIVE,
                        true,
                        false,
                        9,
                        Optional.empty(),
                        OptionalInt.empty()),
                settings);
    }

    @Test
    void killAndRestartFollowTheDuration() {
        DemoSettings settings = settings("--duration", "5s");
        assertEquals(2_000, settings.killAtMillis());
        assertEquals(OptionalLong.of(1_000), settings.restartAfterMillis());
    }

    @Test
    void everythingCanBeChosen() {
        DemoSettings settings = settings(
                "--replicas",
                "5",
                "--clients",
                "2",
                "--threads",
                "8",
                "--duration",
                "1m",
                "--kill",
                "leader",
                "--kill-at",
                "500ms",
                "--restart-after",
                "never",
                "--order",
                "sequencer",
                "--log",
                "memory",
                "--sack",
                "off",
                "--seed",
                "3",
                "--history",
                "h.jsonl");
        assertEquals(5, settings.replicas());
        assertEquals(2, settings.clients());
        assertEquals(8, settings.threads());
        assertEquals(60_000, settings.durationMillis());
        assertEquals(DemoSettings.Kill.LEADER, settings.kill());
        assertEquals(500, settings.killAtMillis());
        assertEquals(OptionalLong.empty(), settings.restartAfterMillis());
        assertEquals(Order.SEQUENCER, settings.order());
        assertEquals(Log.MEMORY, settings.log());
        assertTrue(!settings.sack());
        assertEquals(3, settings.seed());
        assertTrue(settings.history().isPresent());
    }

    @Test
    void withoutAKillNothingComesBackSoMemoryIsNoContradiction() {
        assertEquals(
                OptionalLong.empty(),
                settings("--kill", "none", "--log", "memory").restartAfterMillis());
    }

    @Test
    void aPageStaysForADayAndKillsNothingByItself() {
        DemoSettings settings = settings("--page");
        assertEquals(OptionalInt.of(0), settings.page(), "any free port");
        assertEquals(86_400_000, settings.durationMillis());
        assertEquals(DemoSettings.Kill.NONE, settings.kill());
        DemoSettings chosen = settings("--page", "8080", "--duration", "9s");
        assertEquals(OptionalInt.of(8_080), chosen.page());
        assertEquals(9_000, chosen.durationMillis());
        assertThrows(CliException.class, () -> settings("--page", "--kill", "leader"));
        assertThrows(CliException.class, () -> settings("--page", "65536"));
        assertThrows(CliException.class, () -> settings("--page", "-1"));
    }

    @Test
    void datagramsAreTheCountersAlone() {
        assertTrue(settings("--transport", "udp").udp());
        assertThrows(CliException.class, () -> settings("--transport", "udp", "--sack", "off"));
        assertThrows(CliException.class, () -> settings("--transport", "udp", "--page"));
    }

    @Test
    void aStormHasNoGroupAndSoNoOptionsOfOne() {
        for (String[] wrong : new String[][] {
            {"--retry-storm", "--kill", "none"},
            {"--retry-storm", "--duration", "5s"},
            {"--retry-storm", "--clients", "0"},
            {"--retry-storm", "--clients", "11", "--threads", "10"}
        }) {
            DemoCommand command = new DemoCommand();
            new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(wrong);
            assertThrows(CliException.class, command::call, () -> String.join(" ", wrong));
        }
    }

    private static DemoSettings settings(String... args) {
        DemoCommand command = new DemoCommand();
        new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(args);
        return command.settings();
    }
}
