package org.amo.lab.load;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.amo.core.order.Member;
import org.amo.examples.counter.Counters;
import org.amo.lab.cluster.Programs;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoException;
import org.amo.replication.service.AmoNotExecutedException;
import org.amo.replication.service.AmoReadException;
import org.amo.replication.service.AmoUnknownException;

/** The counters, by one plain Java client. */
final class CounterService implements LoadedService {
    static final Names NAMES = new Names("counters", "add", "move", "all");

    private volatile CopyListener listener = id -> {};
    private final Map<String, String> addresses = new TreeMap<>();
    private final AmoClient client;
    private final Counters counters;

    /** Empty until a call was answered. */
    private volatile String servedBy = "";

    CounterService(CounterReference reference, AmoClient.Transport transport) {
        for (Member member : Member.parseList(reference.members())) {
            addresses.put(member.id(), member.host() + ":" + member.clientPort());
        }
        client = AmoClient.builder(reference.group())
                .members(reference.reached())
                .transport(transport)
                .secretFile(reference.secretFile())
                .deadline(Duration.ofMillis(Programs.DEADLINE_MILLIS))
                .onSend(id -> listener.onCopy(id))
                .build();
        counters = client.proxy(Counters.class);
    }

    @Override
    public Names names() {
        return NAMES;
    }

    @Override
    public long deposit(String account, long amount) throws CallFailedException {
        return answered(() -> counters.add(account, amount));
    }

    @Override
    public boolean transfer(String from, String to, long amount) throws CallFailedException {
        return answered(() -> counters.move(from, to, amount));
    }

    @Override
    public Map<String, Long> balances() throws CallFailedException {
        return answered(() -> counters.all());
    }

    @Override
    public void listen(CopyListener newListener) {
        listener = newListener;
    }

    @Override
    public String servedBy() {
        return servedBy;
    }

    @Override
    public void close() {
        client.close();
    }

    private <T> T answered(Supplier<T> call) throws CallFailedException {
        try {
            T value = call.get();
            servedBy = addresses.getOrDefault(client.servedBy(), "");
            return value;
        } catch (AmoException e) {
            throw failed(e);
        }
    }

    private static CallFailedException failed(AmoException e) {
        boolean noEffect = e instanceof AmoNotExecutedException || e instanceof AmoReadException;
        if (!noEffect && !(e instanceof AmoUnknownException)) {
            // The service threw, or did not understand: no fault of the network does that.
            throw e;
        }
        String text = String.valueOf(e.getMessage()).replaceAll("[0-9a-f]{32}-[0-9]+", "...");
        return new CallFailedException(
                noEffect, e.getClass().getSimpleName(), e.getClass().getSimpleName() + " " + text, e);
    }
}
