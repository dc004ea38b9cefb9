package org.amo.lab.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.amo.core.order.Member;
import org.amo.lab.cluster.Programs;
import org.amo.lab.cluster.ScmpCounterServer;
import org.amo.scmp.CallOutcome;
import org.amo.scmp.udp.ScmpCallException;
import org.amo.scmp.udp.ScmpClient;

/** The counters of one {@link ScmpCounterServer}, by at-most-once datagrams. */
final class ScmpCounterService implements LoadedService {
    private static final Names NAMES = new Names("counters", "add", "move", "all");

    private final InetSocketAddress address;
    private final ScmpClient client;

    ScmpCounterService(CounterReference reference) throws IOException {
        Member member = Member.parseList(reference.members()).get(0);
        address = new InetSocketAddress(member.host(), member.clientPort());
        client = ScmpClient.builder(address)
                .key(Files.readAllBytes(reference.secretFile()))
                .open();
    }

    @Override
    public Names names() {
        return NAMES;
    }

    @Override
    public long deposit(String account, long amount) throws CallFailedException {
        return Long.parseLong(call("add " + account + " " + amount));
    }

    @Override
    public boolean transfer(String from, String to, long amount) throws CallFailedException {
        return Boolean.parseBoolean(call("move " + from + " " + to + " " + amount));
    }

    @Override
    public Map<String, Long> balances() throws CallFailedException {
        String[] words = call("all").split(" ", -1);
        Map<String, Long> balances = new TreeMap<>();
        for (int i = 0; i + 1 < words.length; i += 2) {
            balances.put(words[i], Long.parseLong(words[i + 1]));
        }
        return balances;
    }

    /** Copies have no ids that another process could know. */
    @Override
    public void listen(CopyListener listener) {}

    @Override
    public String servedBy() {
        return address.getHostString() + ":" + address.getPort();
    }

    @Override
    public void close() {
        client.close();
    }

    private String call(String words) throws CallFailedException {
        try {
            byte[] result = client.call(
                    ScmpCounterServer.SERVICE,
                    words.getBytes(StandardCharsets.UTF_8),
                    Duration.ofMillis(Programs.DEADLINE_MILLIS));
            return new String(result, StandardCharsets.UTF_8);
        } catch (ScmpCallException e) {
            if (e.kind() == CallOutcome.Kind.SERVICE_FAILED) {
                throw new IllegalStateException("the counters failed", e);
            }
            throw new CallFailedException(!e.mayHaveRun(), e.kind().name(), String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CallFailedException(false, "INTERRUPTED", "interrupted", e);
        }
    }
}
