package org.amo.lab.load;

import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.amo.replication.service.AmoClient.Transport;

/**
 * The counters, by plain Java clients that live for one to three calls each. The first call of each goes as a datagram; the later ones go
 * over TCP, or in every third client as datagrams, too.
 */
final class FirstCallService implements LoadedService {
    private static final int MOST_CALLS = 3;
    private static final int DATAGRAMS_ALONE_ONE_IN = 3;

    private final CounterReference reference;
    private final SplittableRandom random = new SplittableRandom();
    private Optional<CounterService> client = Optional.empty();
    private int callsLeft;
    private CopyListener listener = id -> {};

    /** Of the clients so far; any thread may read it. */
    private volatile String servedBy = "";

    FirstCallService(CounterReference reference) {
        this.reference = reference;
    }

    /** A call of the counters. */
    private interface Call<T> {
        T by(CounterService client) throws CallFailedException;
    }

    @Override
    public Names names() {
        return CounterService.NAMES;
    }

    @Override
    public long deposit(String account, long amount) throws CallFailedException {
        return call(counters -> counters.deposit(account, amount));
    }

    @Override
    public boolean transfer(String from, String to, long amount) throws CallFailedException {
        return call(counters -> counters.transfer(from, to, amount));
    }

    @Override
    public Map<String, Long> balances() throws CallFailedException {
        return call(CounterService::balances);
    }

    @Override
    public void listen(CopyListener newListener) {
        listener = newListener;
        client.ifPresent(counters -> counters.listen(newListener));
    }

    @Override
    public String servedBy() {
        return servedBy;
    }

    @Override
    public void close() {
        client.ifPresent(CounterService::close);
        client = Optional.empty();
    }

    private <T> T call(Call<T> call) throws CallFailedException {
        if (callsLeft == 0) {
            close();
            callsLeft = random.nextInt(MOST_CALLS) + 1;
        }
        callsLeft--;
        CounterService counters = client.orElseGet(this::open);
        T value = call.by(counters);
        servedBy = counters.servedBy();
        return value;
    }

    private CounterService open() {
        boolean alone = random.nextInt(DATAGRAMS_ALONE_ONE_IN) == 0;
        CounterService opened = new CounterService(reference, alone ? Transport.UDP : Transport.AUTO);
        opened.listen(listener);
        client = Optional.of(opened);
        return opened;
    }
}
