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
import java.util.function.Consumer;
import org.amo.benchmarks.OwnHeap;
import org.amo.benchmarks.ProcessTime;
import org.amo.benchmarks.cache.CacheBench;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;
import org.amo.net.CheckedFile;

/**
 * A group of three under one-call clients by datagrams: alone, and beside strangers who send 50,000 datagrams a second to the same
 * member. Then the processor time of a hostile datagram there, the memory that it leaves, and the memory of a client after its call.
 */
final class HostileLoad {
    private static final String SECRET = "0123456789abcdef".repeat(4);
    private static final int HOSTILE_PER_SECOND = 50_000;
    private static final int COST_PER_SECOND = 20_000;
    private static final int UNDER_WAY = 8;
    private static final int UNDER_WAY_OF_ONE = 32;
    private static final int RECORDED = 512;
    private static final int CLIENTS_A_MINUTE = 100_000;
    private static final int SECONDS_A_MINUTE = 60;
    private static final int MEMBER = 0;
    private static final long BUSY_MILLIS = 1_000;

    /** A record of any kind takes 16 bytes or more. The rest of the process stays far below these 4 for each datagram. */
    private static final double KEPT_BYTES = 4;

    private final boolean quick;
    private final Consumer<String> progress;
    private final Figures figures;
    private final Map<String, Object> ratios = new LinkedHashMap<>();

    HostileLoad(boolean quick, Consumer<String> progress, Figures figures) {
        this.quick = quick;
        this.progress = progress;
        this.figures = figures;
    }

    /** Adds rows, ratios and bars. A principal may have so many clients at once, so clients at full speed have a group of their own. */
    void measure() throws Exception {
        inGroup((group, clients) -> {
            minute(clients);
            List<byte[]> hostile = hostile(clients);
            besideHostile(group, clients, hostile);
            cost(group, "forged", "FORGED", HostileSender.forged(clients.recorded(), new Random(1)));
            cost(group, "replayed", "REPEATED", clients.recorded());
        });
        inGroup((group, clients) -> {
            onOneProcessor(clients);
            // Without a bar: the thread of the strangers takes a part of the cores that the group fills otherwise.
            ratios.put(
                    "busyRateBesideHostileOverAlone",
                    beside(
                            group,
                            hostile(clients),
                            UNDER_WAY + " under way",
                            BUSY_MILLIS,
                            millis -> clients.busy(UNDER_WAY, millis)));
        });
        progress.accept("one-call clients in memory");
        memory("acknowledged", CacheBench.idleClientBytes());
        memory("expired", CacheBench.expiredClientBytes());
        figures.ratios().put("datagrams", ratios);
        figures.remarks()
                .add(
                        "hostile datagrams: forged seals, replays and rubbish in equal parts, by a thread of this process; it"
                                + " and the three members share the machine's cores with the honest clients. coresOfAllMembers"
                                + " is the processor time of the process without the thread of the clients: the virtual"
                                + " machine's compilers and collectors are in it. They share the one processor, too.");
    }

    /** All clients call one member. Without a bar for the cores: at that pace threads wait, and each time that one wakes counts. */
    private void minute(OneCallClients clients) throws IOException {
        List<Double> cores = new ArrayList<>();
        List<Double> rates = new ArrayList<>();
        for (int round = 0; round < (quick ? 3 : 6); round++) {
            double before = processSeconds();
            OneCallClients.Round paced = paced(clients, quick ? 2_000 : 10_000);
            double spent = processSeconds() - before;
            cores.add(paced.othersCores(spent));
            rates.add(paced.perSecond());
        }
        figures.row(
                "one-call clients by datagram",
                Map.of("clientsAMinute", CLIENTS_A_MINUTE, "members", 3),
                Map.of("coresOfAllMembers", Spread.of(cores), "callsPerSecond", Spread.of(rates)));
        ratios.put("coresAt100000ClientsAMinute", Spread.of(cores).median());
        figures.atLeast(
                "calls answered / 100,000 one-call clients a minute",
                Spread.of(rates).median() * SECONDS_A_MINUTE / CLIENTS_A_MINUTE,
                0.95);
    }

    /** As many as get answers from three members that share a processor, also with the compilers and collectors. */
    private void onOneProcessor(OneCallClients clients) throws IOException {
        Optional<OneProcessor> opened = OneProcessor.open();
        if (opened.isEmpty()) {
            figures.remarks().add("one-call clients of one processor are left out: the clients need a second one");
            return;
        }
        List<OneCallClients.Round> rounds = new ArrayList<>();
        OneProcessor processor = opened.get();
        try {
            for (int round = 0; round < (quick ? 3 : 6); round++) {
                rounds.add(clients.busy(UNDER_WAY_OF_ONE, BUSY_MILLIS));
            }
        } finally {
            processor.close();
        }
        Spread perMinute = Spread.of(rounds, round -> round.perSecond() * SECONDS_A_MINUTE);
        Map<String, Object> metrics = metrics(rounds);
        metrics.put("clientsAMinute", perMinute);
        figures.row(
                "one-call clients, the members on one processor",
                Map.of("underWay", UNDER_WAY_OF_ONE, "members", 3),
                metrics);
        ratios.put("clientsAMinuteOfOneProcessor", perMinute.median());
        figures.atLeast(
                "one-call clients a minute that three members on one processor answer",
                perMinute.median(),
                CLIENTS_A_MINUTE);
    }

    private static OneCallClients.Round paced(OneCallClients clients, long millis) throws IOException {
        return clients.paced(CLIENTS_A_MINUTE / SECONDS_A_MINUTE, millis);
    }

    private static double processSeconds() {
        return ProcessTime.cpuSeconds(ProcessHandle.current().pid())
                .orElseThrow(() -> new IllegalStateException("this system tells no processor time"));
    }

    private interface InGroup {
        void run(FirstCallGroup group, OneCallClients clients) throws Exception;
    }

    /** With warm members. */
    private void inGroup(InGroup measured) throws Exception {
        Path data = Files.createTempDirectory("amo-bench-hostile");
        try (FirstCallGroup group = new FirstCallGroup("127.0.0.1", Optional.of(SECRET), data)) {
            OneCallDatagrams datagrams = new OneCallDatagrams(group.name(), SECRET);
            try (OneCallClients clients = new OneCallClients(datagrams, group.address(MEMBER), RECORDED)) {
                progress.accept("one-call clients by datagram");
                OneCallClients.Round unused = clients.busy(UNDER_WAY, quick ? 3_000 : 10_000);
                measured.run(group, clients);
            }
        } finally {
            CheckedFile.deleteTree(data);
        }
    }

    private static List<byte[]> hostile(OneCallClients clients) {
        Random random = new Random(2);
        List<byte[]> hostile = new ArrayList<>(clients.recorded());
        hostile.addAll(HostileSender.forged(clients.recorded(), random));
        hostile.addAll(HostileSender.rubbish(clients.recorded(), random));
        Collections.shuffle(hostile, random);
        return hostile;
    }

    private void besideHostile(FirstCallGroup group, OneCallClients clients, List<byte[]> hostile) throws IOException {
        progress.accept("hostile datagrams");
        long millis = quick ? BUSY_MILLIS : 4_000;
        double atTheirRate = beside(group, hostile, "100,000 a minute", millis, each -> paced(clients, each));
        ratios.put("honestRateBesideHostileOverAlone", atTheirRate);
        figures.atLeast(
                "rate of 100,000 honest clients a minute beside " + HOSTILE_PER_SECOND
                        + " hostile datagrams a second / without",
                atTheirRate,
                0.8);
    }

    private interface Load {
        OneCallClients.Round run(long millis) throws IOException;
    }

    /** Both sides in turns; the quotient of their rates. */
    private double beside(FirstCallGroup group, List<byte[]> hostile, String load, long millis, Load honest)
            throws IOException {
        List<OneCallClients.Round> alone = new ArrayList<>();
        List<OneCallClients.Round> beside = new ArrayList<>();
        List<Double> sent = new ArrayList<>();
        for (int round = 0; round < (quick ? 4 : 10); round++) {
            for (int side = 0; side < 2; side++) {
                if (side == round % 2) { // A B B A
                    alone.add(honest.run(millis));
                } else {
                    try (HostileSender sender = new HostileSender(group.address(MEMBER), hostile, HOSTILE_PER_SECOND)) {
                        long start = System.nanoTime();
                        beside.add(honest.run(millis));
                        sent.add(sender.sent() * 1e9 / (System.nanoTime() - start));
                    }
                }
            }
        }
        Spread ratio = Spread.ratio(beside, alone, OneCallClients.Round::perSecond);
        figures.row("one-call clients, alone", Map.of("load", load), metrics(alone));
        Map<String, Object> metrics = metrics(beside);
        metrics.put("hostileSentPerSecond", Spread.of(sent));
        metrics.put("overAlone", ratio);
        figures.row(
                "one-call clients beside hostile datagrams",
                Map.of("load", load, "hostilePerSecond", HOSTILE_PER_SECOND),
                metrics);
        return ratio.median();
    }

    private static Map<String, Object> metrics(List<OneCallClients.Round> rounds) {
        Map<String, Object> metrics = new LinkedHashMap<>();
        metrics.put("callsPerSecond", Spread.of(rounds, OneCallClients.Round::perSecond));
        metrics.put("sentAgain", Spread.of(rounds, OneCallClients.Round::sentAgain));
        return metrics;
    }

    /** Of the member's thread that reads datagrams, system calls included, for each one that it counted. */
    private void cost(FirstCallGroup group, String kind, String outcome, List<byte[]> datagrams) throws Exception {
        double unused = cost(group, outcome, datagrams);
        long counted = group.counted(MEMBER, outcome);
        long used = OwnHeap.usedBytes();
        List<Double> micros = new ArrayList<>();
        for (int round = 0; round < (quick ? 4 : 10); round++) {
            micros.add(cost(group, outcome, datagrams));
        }
        double kept = (OwnHeap.usedBytes() - used) / (double) (group.counted(MEMBER, outcome) - counted);
        Spread cost = Spread.of(micros);
        figures.row(
                "a " + kind + " datagram",
                Map.of("perSecond", COST_PER_SECOND),
                Map.of("cpuMicrosOfTheMember", cost, "bytesKept", kept));
        ratios.put(kind + "CpuMicros", cost.median());
        ratios.put(kind + "BytesKept", kept);
        figures.atMost("microseconds of a member's processor for a " + kind + " datagram", cost.median(), 20);
        figures.atMost("bytes that the group keeps of a " + kind + " datagram", kept, KEPT_BYTES);
    }

    /** In microseconds, over half a second. */
    private static double cost(FirstCallGroup group, String outcome, List<byte[]> datagrams) throws Exception {
        String thread = "amo-udp-" + group.id(MEMBER);
        try (HostileSender sender = new HostileSender(group.address(MEMBER), datagrams, COST_PER_SECOND)) {
            long counted = group.counted(MEMBER, outcome);
            long cpu = Threads.cpuNanosOf(thread);
            sender.await(COST_PER_SECOND / 2);
            return (Threads.cpuNanosOf(thread) - cpu) / 1e3 / (group.counted(MEMBER, outcome) - counted);
        }
    }

    private void memory(String reply, double bytes) {
        figures.row("a one-call client in memory", Map.of("reply", reply), Map.of("bytes", bytes));
        ratios.put("bytesOfAOneCallClient." + reply, bytes);
        figures.atMost("bytes of a one-call client whose reply is " + reply, bytes, 72);
    }
}
