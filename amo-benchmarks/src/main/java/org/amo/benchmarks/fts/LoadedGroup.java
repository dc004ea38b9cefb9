package org.amo.benchmarks.fts;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.amo.benchmarks.Bench.Run;
import org.amo.benchmarks.figures.Figures;
import org.amo.core.order.Member;
import org.amo.core.order.MemberChange;
import org.amo.core.replica.Administration;
import org.amo.core.replica.AdministrationException;
import org.amo.interceptors.status.StatusClient;
import org.amo.replication.FreePorts;

/** Three replicas under the load of clients that are connected to one of them. One thread. */
final class LoadedGroup implements AutoCloseable {
    static final int CLIENTS = 4;
    static final int THREADS = 4;
    static final int DEADLINE_MILLIS = 10_000;
    private static final long WARM_UP_MILLIS = 2_000;
    private static final int CHANGE_MILLIS = 10_000;

    private final List<Member> members = FreePorts.members(3);
    private final List<ServerProcess> replicas = new ArrayList<>();
    private final List<CallLoad> loads = new ArrayList<>();
    private final List<AutoCloseable> open = new ArrayList<>();
    private String connected = "";

    private LoadedGroup() {}

    /** @param leader whether clients connect to the leader, or to a follower */
    static LoadedGroup start(Run run, Path folder, boolean leader) throws IOException, InterruptedException {
        LoadedGroup group = new LoadedGroup();
        try {
            group.load(run, folder, leader);
            return group;
        } catch (IOException | InterruptedException | RuntimeException e) {
            group.close();
            throw e;
        }
    }

    private void load(Run run, Path folder, boolean leader) throws IOException, InterruptedException {
        replicas.addAll(BankGroup.start(HelloServer.class, folder, members, run.jvmFlags("-Xmx512m"), open));
        String reference = replicas.get(0).awaitReference();
        connected = BankReplicaStatus.await(members).member(members, leader);
        Map<String, String> client = BankGroup.clientAt(members, connected);
        client.put("amo.deadlineMillis", Integer.toString(DEADLINE_MILLIS));
        for (int i = 0; i < CLIENTS; i++) {
            CallLoad load = CallLoad.greetings(BankGroup.client(client), reference, THREADS);
            loads.add(load);
            open.add(load);
            load.resume();
        }
        TimeUnit.MILLISECONDS.sleep(WARM_UP_MILLIS);
    }

    void killConnected() {
        replicas.get(index(connected)).close();
    }

    /** Has the leader hand its lead over to the next member, and waits until that one leads. */
    void handOver() throws IOException {
        String leader = BankReplicaStatus.ask(members.get(0)).leader();
        Member next = members.get((index(leader) + 1) % members.size());
        String change = MemberChange.of("bank", MemberChange.Kind.LEAD, next, 0, Optional.empty())
                .format();
        Member asked = members.get(index(leader));
        try {
            Administration.Changed told = Administration.readChange(StatusClient.ask(
                    asked.host(), asked.clientPort(), CHANGE_MILLIS, Administration.CHANGE, Optional.of(change)));
            if (told.outcome() != Administration.Outcome.DONE) {
                throw new IOException("member " + leader + " keeps the lead: " + told.text());
            }
        } catch (AdministrationException e) {
            throw new IOException("member " + leader + " does not answer: " + e.getMessage(), e);
        }
    }

    private int index(String id) {
        return members.stream().map(Member::id).toList().indexOf(id);
    }

    /** Forgets how long calls took. */
    void forget() {
        loads.forEach(CallLoad::forgetLatency);
    }

    /** The longest call of any client since {@link #forget}, after a wait. */
    double longestMillis(long waitMillis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(waitMillis);
        return loads.stream().mapToDouble(CallLoad::longestMillis).max().orElseThrow();
    }

    /** Failed calls are violations. */
    void checkCalls(Figures figures) {
        loads.stream().filter(load -> load.failures() > 0).forEach(load -> figures.violations()
                .add(load.failures() + " calls failed: " + load.lastFailure()));
    }

    @Override
    public void close() throws IOException {
        ReplicatedOverPlain.closeAll(open);
    }
}
