package org.amo.lab.blackbox.chaos;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.core.replica.ReplicaSettings.Style;
import org.amo.lab.chaos.Ledgers;
import org.amo.lab.cluster.Child;
import org.amo.lab.cluster.MemberProgram;
import org.amo.lab.cluster.ProcessGroup;
import org.amo.lab.cluster.Processes;
import org.amo.lab.cluster.ReplicaProcess;
import org.amo.lab.cluster.WorkFolder;
import org.amo.lab.load.BankAudit;
import org.amo.lab.load.Clients;
import org.amo.lab.load.LoadPrograms;
import org.amo.lab.load.LoadReport;
import org.amo.lab.load.LoadSettings;
import org.amo.testkit.check.CheckReport;
import org.amo.testkit.check.Checker;
import org.amo.testkit.fault.FaultAction;
import org.amo.testkit.fault.FaultCommands;
import org.amo.testkit.fault.FaultPoint;
import org.amo.testkit.fault.FaultRule;
import org.amo.testkit.fault.TestFaultHooks;
import org.amo.testkit.history.HistoryFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The fault kit as a user has it: the bank's server as it is, the kit on its class path, a file to arm faults. Each fault comes at each
 * point of the member that serves the client, one after the other, under load.
 */
@Timeout(600)
@Tag("slow")
class EveryPointTest {
    private static final int MEMBERS = 3;
    private static final long LONGEST_LOAD_MILLIS = 590_000;
    private static final int PAUSE_MILLIS = 10;
    private static final int MORE_CALLS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final LoadPrograms BANK = LoadPrograms.bank(true);

    @TempDir
    private Path target;

    private final WorkFolder folder = WorkFolder.create("points");
    private final Processes processes = new Processes(folder);
    private final Map<String, FaultCommands> commands = new TreeMap<>();
    private final ProcessGroup group = new ProcessGroup(
            MemberProgram::bank,
            new ProcessGroup.Settings(Order.RAFT, Log.FILE, true, Style.ACTIVE),
            places(),
            0,
            folder,
            processes);

    private List<ProcessGroup.Place> places() {
        List<ProcessGroup.Place> places = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            FaultCommands ofMember = new FaultCommands(folder.file("faults-" + ProcessGroup.name(i)));
            commands.put(ProcessGroup.name(i), ofMember);
            places.add(new ProcessGroup.Place(
                    "127.0.0.1",
                    List.of(),
                    folder.file("data"),
                    List.of("-Damo.faultFile=" + ofMember.file()),
                    List.of(TestFaultHooks.class)));
        }
        return places;
    }

    @AfterEach
    void endAll() {
        processes.close();
        folder.delete();
    }

    @Test
    void everyFaultAtEveryPointOfTheConnectedMemberRunsNothingTwiceAndLosesNothing() throws Exception {
        List<FaultRule> rules = new ArrayList<>();
        for (FaultPoint point : FaultPoint.values()) {
            rules.addAll(faultsAt(point));
        }
        assertEquals(23, rules.size(), "six points, four faults, but no delay after the reply");
        runUnder(rules);
    }

    private void runUnder(List<FaultRule> rules) throws Exception {
        group.startAll();
        Path reference = group.replicas().get(0).reference();
        LoadSettings.Shape shape = new LoadSettings.Shape(1, LONGEST_LOAD_MILLIS, 5, false, 0, PAUSE_MILLIS);
        Clients clients = Clients.start(BANK, 1, shape, reference, true, folder, processes);
        clients.go();
        for (FaultRule rule : rules) {
            make(rule, clients);
        }
        clients.stop();
        awaitThat("the load ends", () -> !clients.atWork());
        List<String> remarks = new ArrayList<>();
        assertTrue(group.settle(() -> {}, remarks::add), remarks.toString());
        BankAudit.Books books = clients.books();
        assertTrue(group.settle(() -> {}, remarks::add), remarks.toString());
        Path history = target.resolve("history");
        clients.writeHistory(history, group, Optional.of(books));
        CheckReport report = Checker.check(HistoryFile.read(history), Ledgers.bank());
        assertTrue(report.passed(), report.lines().toString());
        LoadReport load = clients.reports().get(0);
        assertEquals(load.calls(), load.ok(), load.problems().toString());
    }

    private static List<FaultRule> faultsAt(FaultPoint point) {
        List<FaultRule> rules = new ArrayList<>();
        // Heaps that are used up: ./amo chaos --faults memory.
        for (FaultAction action : EnumSet.complementOf(EnumSet.of(FaultAction.EXHAUST))) {
            boolean lasts = action == FaultAction.DELAY || action == FaultAction.PARTITION;
            if (action != FaultAction.DELAY || point != FaultPoint.AFTER_REPLY) {
                rules.add(new FaultRule(point, 1, action, lasts ? 300 : 0));
            }
        }
        return rules;
    }

    /** Makes it happen at the member that serves the client, and waits until calls are answered after it. */
    private void make(FaultRule rule, Clients clients) throws IOException {
        ReplicaProcess connected = connected(clients);
        commands.get(connected.id()).arm(rule);
        if (rule.action() == FaultAction.KILL) {
            awaitThat(rule + " ends " + connected.id(), () -> !isAlive(connected));
            connected.ended();
            awaitMoreCalls(rule, clients);
            commands.get(connected.id()).renew();
            group.start(connected);
            awaitThat(connected.id() + " is back after " + rule, () -> connected
                    .ask()
                    .filter(status -> !status.leader().isEmpty())
                    .isPresent());
        } else {
            awaitThat(rule + " at " + connected.id(), () -> Files.readString(connected.log())
                    .contains("FAULT: " + rule));
            awaitMoreCalls(rule, clients);
        }
    }

    private ReplicaProcess connected(Clients clients) {
        ReplicaProcess[] found = new ReplicaProcess[1];
        awaitThat("a member serves the client", () -> {
            String served = clients.servedBy();
            group.replicas().stream()
                    .filter(replica -> isAlive(replica)
                            && served.endsWith(":" + replica.member().clientPort()))
                    .forEach(replica -> found[0] = replica);
            return found[0] != null;
        });
        return found[0];
    }

    /** Twice: what the client says first may be of calls before the fault. */
    private static void awaitMoreCalls(FaultRule rule, Clients clients) {
        for (int i = 0; i < 2; i++) {
            long before = clients.ok();
            awaitThat("calls are answered after " + rule, () -> clients.ok() >= before + MORE_CALLS);
        }
    }

    private static boolean isAlive(ReplicaProcess replica) {
        return replica.process().filter(Child::isAlive).isPresent();
    }

    private static void awaitThat(String what, Callable<Boolean> condition) {
        await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(condition);
    }
}
