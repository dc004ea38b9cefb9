package org.amo.benchmarks.scmp;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.amo.base.ClientId;
import org.amo.benchmarks.LoopReplica;
import org.amo.benchmarks.OwnHeap;
import org.amo.benchmarks.ProcessTime;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.core.sack.FinishedNumbers;
import org.amo.net.CheckedFile;

/**
 * A group of three under one-call clients by datagrams: alone, and beside strangers who send 50,000 datagrams a second to the same
 * member. Then the processor time of a hostile datagram there, and the memory of a client after its call.
 */
final class HostileLoad {
    private static final String SECRET = "0123456789abcdef".repeat(4);
    private static final int HOSTILE_PER_SECOND = 50_000;
    private static final int COST_PER_SECOND = 20_000;
    private static final int UNDER_WAY = 8;
    private static final int RECORDED = 512;
    private static final int CLIENTS_A_MINUTE = 100_000;
    private static final int SECONDS_A_MINUTE = 60;
    private static final long MINUTE_MILLIS = 60_000;
    private static final int MEMBER = 0;

    /** Longer than the life of a request and the skew. */
    private static final long PAST_DEADLINE_MILLIS = 2 * MINUTE_MILLIS;

    /** Longer than the retention. */
    private static final long PAST_BOUND_MILLIS = 15 * MINUTE_MILLIS;

    private final boolean quick;
    private final Consumer<String> progress;
    private final Figures figures;
    private final Map<String, Object> ratios = new LinkedHashMap<>();

    HostileLoad(boolean quick, Consumer<String> progress, Figures figures) {
        this.quick = quick;
        this.progress = progress;
        this.figures = figures;
    }

    /** Adds rows, ratios and bars. */
    void measure() throws Exception {
        Path data = Files.createTempDirectory("amo-bench-hostile");
        try (FirstCallGroup group = new FirstCallGroup("127.0.0.1", Optional.of(SECRET), data)) {
            OneCallDatagrams datagrams = new OneCallDatagrams(group.name(), SECRET);
            try (OneCallClients clients = new OneCallClients(datagrams, group.address(MEMBER), RECORDED)) {
                progress.accept("one-call clients by datagram");
                OneCallClients.Round unused = clients.busy(UNDER_WAY, quick ? 3_000 : 10_000);
                minute(clients);
                progress.accept("hostile datagrams");
                besideHostile(group, clients);
                cost(group, "forged", "FORGED", HostileSender.forged(clients.recorded(), new Random(1)));
                cost(group, "replayed", "REPEATED", clients.recorded());
            }
        } finally {
            CheckedFile.deleteTree(data);
        }
        progress.accept("one-call clients in memory");
        memory("acknowledged", true);
        memory("expired", false);
        figures.ratios().put("datagrams", ratios);
        figures.remarks()
                .add(
                        "hostile datagrams: forged seals, replays and rubbish in equal parts, by a thread of this process; it"
                                + " and the three members share the machine's cores with the honest clients.");
    }

    /** All threads of this process but that of the clients: three members, and the virtual machine's own. */
    private void minute(OneCallClients clients) throws IOException {
        List<Double> cores = new ArrayList<>();
        List<Double> rates = new ArrayList<>();
        for (int round = 0; round < (quick ? 3 : 6); round++) {
            double before = processSeconds();
            OneCallClients.Round paced = clients.paced(CLIENTS_A_MINUTE / SECONDS_A_MINUTE, quick ? 2_000 : 10_000);
            cores.add((processSeconds() - before - paced.cpuNanos() / 1e9) / paced.seconds());
            rates.add(paced.perSecond());
        }
        Spread share = Spread.of(cores);
        figures.row(
                "one-call clients by datagram",
                Map.of("clientsAMinute", CLIENTS_A_MINUTE, "members", 3),
                Map.of("coresOfAllMembers", share, "callsPerSecond", Spread.of(rates)));
        ratios.put("coresAt100000ClientsAMinute", share.median());
        figures.atMost("cores of three members at 100,000 one-call clients a minute", share.median(), 1);
        figures.atLeast(
                "calls answered / 100,000 one-call clients a minute",
                Spread.of(rates).median() * SECONDS_A_MINUTE / CLIENTS_A_MINUTE,
                0.95);
    }

    private static double processSeconds() {
        return ProcessTime.cpuSeconds(ProcessHandle.current().pid())
                .orElseThrow(() -> new IllegalStateException("this system tells no processor time"));
    }

    private void besideHostile(FirstCallGroup group, OneCallClients clients) throws IOException {
        Random random = new Random(2);
        List<byte[]> hostile = new ArrayList<>(clients.recorded());
        hostile.addAll(HostileSender.forged(clients.recorded(), random));
        hostile.addAll(HostileSender.rubbish(clients.recorded(), random));
        Collections.shuffle(hostile, random);
        List<OneCallClients.Round> alone = new ArrayList<>();
        List<OneCallClients.Round> beside = new ArrayList<>();
        List<Double> sent = new ArrayList<>();
        List<Double> quotients = new ArrayList<>();
        long millis = quick ? 1_000 : 4_000;
        for (int round = 0; round < (quick ? 4 : 10); round++) {
            for (int side = 0; side < 2; side++) {
                if (side == round % 2) { // A B B A
                    alone.add(clients.busy(UNDER_WAY, millis));
                } else {
                    try (HostileSender sender = new HostileSender(group.address(MEMBER), hostile, HOSTILE_PER_SECOND)) {
                        long start = System.nanoTime();
                        beside.add(clients.busy(UNDER_WAY, millis));
                        sent.add(sender.sent() * 1e9 / (System.nanoTime() - start));
                    }
                }
            }
            quotients.add(beside.get(round).perSecond() / alone.get(round).perSecond());
        }
        figures.row(
                "one-call clients, alone",
                Map.of("underWay", UNDER_WAY),
                Map.of("callsPerSecond", spread(alone, OneCallClients.Round::perSecond)));
        figures.row(
                "one-call clients beside hostile datagrams",
                Map.of("underWay", UNDER_WAY, "hostilePerSecond", HOSTILE_PER_SECOND),
                Map.of(
                        "callsPerSecond",
                        spread(beside, OneCallClients.Round::perSecond),
                        "sentAgain",
                        spread(beside, OneCallClients.Round::sentAgain),
                        "hostileSentPerSecond",
                        Spread.of(sent)));
        double ratio = Spread.of(quotients).median();
        figures.row("one-call clients beside hostile / alone", Map.of(), Map.of("ratio", Spread.of(quotients)));
        ratios.put("honestRateBesideHostileOverAlone", ratio);
        figures.atLeast(
                "rate of honest clients beside " + HOSTILE_PER_SECOND + " hostile datagrams a second / without",
                ratio,
                0.8);
    }

    private static Spread spread(List<OneCallClients.Round> rounds, ToDoubleFunction<OneCallClients.Round> of) {
        return Spread.of(rounds.stream().map(of::applyAsDouble).toList());
    }

    /** Of the member's thread that reads datagrams, system calls included, for each one that it counted. */
    private void cost(FirstCallGroup group, String kind, String outcome, List<byte[]> datagrams) throws Exception {
        String thread = "amo-udp-" + group.id(MEMBER);
        List<Double> micros = new ArrayList<>();
        try (HostileSender sender = new HostileSender(group.address(MEMBER), datagrams, COST_PER_SECOND)) {
            for (int round = 0; round < (quick ? 4 : 10); round++) {
                long counted = group.counted(MEMBER, outcome);
                long cpu = Threads.cpuNanosOf(thread);
                long begun = sender.sent();
                while (sender.sent() - begun < COST_PER_SECOND / 2) {
                    TimeUnit.MILLISECONDS.sleep(10);
                }
                long spent = Threads.cpuNanosOf(thread) - cpu;
                micros.add(spent / 1e3 / Math.max(1, group.counted(MEMBER, outcome) - counted));
            }
        }
        Spread cost = Spread.of(micros.subList(1, micros.size()));
        figures.row(
                "a " + kind + " datagram", Map.of("perSecond", COST_PER_SECOND), Map.of("cpuMicrosOfTheMember", cost));
        ratios.put(kind + "CpuMicros", cost.median());
        figures.atMost("microseconds of a member's processor for a " + kind + " datagram", cost.median(), 20);
    }

    /** Beside a replica that decides for nothing, as in the benchmark of the cache. */
    private void memory(String how, boolean acknowledges) {
        int clients = quick ? 100_000 : 500_000;
        LoopReplica replica = new LoopReplica();
        // The second half: the first rids the heap of older objects.
        oneCalls(replica, 0, clients, acknowledges);
        long half = OwnHeap.usedBytes();
        oneCalls(replica, clients, clients, acknowledges);
        double bytes = (OwnHeap.usedBytes() - half) / (double) clients;
        if (replica.entries() != 0 || replica.clients() != 2L * clients) {
            throw new IllegalStateException(
                    replica.entries() + " replies are kept, and " + replica.clients() + " clients");
        }
        replica.pass(PAST_BOUND_MILLIS);
        if (replica.clients() != 0) {
            throw new IllegalStateException(replica.clients() + " clients are kept beyond the bound");
        }
        figures.row("a one-call client in memory", Map.of("reply", how, "clients", clients), Map.of("bytes", bytes));
        ratios.put("bytesOfAOneCallClient." + how, bytes);
        figures.atMost("bytes of a one-call client whose reply is " + how, bytes, 72);
    }

    private static void oneCalls(LoopReplica replica, int first, int clients, boolean acknowledges) {
        long time = replica.timestamp();
        for (int i = 0; i < clients; i++) {
            ClientId client = new ClientId(1, first + i);
            replica.call(replica.request(client, 1, time, new byte[0]), FinishedNumbers.NONE, answer -> {});
            if (acknowledges) {
                replica.acknowledge(client, FinishedNumbers.of(1));
            }
        }
        if (!acknowledges) {
            replica.pass(PAST_DEADLINE_MILLIS);
        }
    }
}
