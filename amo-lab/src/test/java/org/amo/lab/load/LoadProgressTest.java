package org.amo.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.amo.observe.Trial;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The clients' records while they call: a demo's page shows them. */
@Timeout(60)
class LoadProgressTest {
    private static final int WRONG = 20;
    private static final int LAST = 40;

    /** A service whose twentieth deposit changes the account so many times. */
    private static final class Bank implements LoadedService {
        private final Map<String, Long> balances = new HashMap<>();
        private final int times;
        private Optional<LoadThread> load = Optional.empty();
        private int deposits;

        Bank(int times) {
            this.times = times;
        }

        @Override
        public Names names() {
            return new Names("bank", "deposit", "transfer", "balances");
        }

        @Override
        public long deposit(String account, long amount) throws CallFailedException {
            deposits++;
            if (deposits == LAST) {
                load.orElseThrow().stop();
                throw new CallFailedException(false, "GONE", "gone", new IllegalStateException("gone"));
            }
            return balances.merge(account, deposits == WRONG ? times * amount : amount, Long::sum);
        }

        @Override
        public boolean transfer(String from, String to, long amount) {
            boolean has = balances.getOrDefault(from, 0L) >= amount;
            if (has) {
                balances.merge(from, -amount, Long::sum);
                balances.merge(to, amount, Long::sum);
            }
            return has;
        }

        @Override
        public Map<String, Long> balances() {
            return balances;
        }

        @Override
        public void listen(CopyListener listener) {
            // It makes no copies.
        }

        @Override
        public String servedBy() {
            return "";
        }
    }

    private static LoadProgress after(int times) {
        Bank bank = new Bank(times);
        LoadThread load = new LoadThread(
                bank, "c1-t1", LoadSettings.Shape.full(1, 60_000, 7), System.nanoTime(), Optional.empty());
        bank.load = Optional.of(load);
        load.run();
        return LoadProgress.of(load);
    }

    @Test
    void aSoundServiceRepeatsAndLosesNothing() {
        LoadProgress progress = after(1);
        assertTrue(progress.ok() >= LAST - 1, progress::toString);
        assertEquals(progress.ok() + 1, progress.calls());
        assertEquals(1, progress.failed());
        assertEquals(0, progress.repeated());
        assertEquals(0, progress.missing());
    }

    @Test
    void anExecutionTooManyIsSeenInTheNextAnswer() {
        assertEquals(1, after(2).repeated());
        assertEquals(0, after(2).missing());
    }

    @Test
    void aLostExecutionIsSeenInTheNextAnswer() {
        assertEquals(0, after(0).repeated());
        assertEquals(1, after(0).missing());
    }

    @Test
    void theWordsOfAClientProcessAreRead() {
        LoadProgress progress = new LoadProgress(1, 2, 3, 4, 5);
        assertEquals(progress, LoadProgress.parse(progress.words()));
        assertEquals(new LoadProgress(2, 4, 6, 8, 10), progress.plus(progress));
    }

    @Test
    void theVerdictSoFarIsThatOfTheRecords() {
        assertEquals(
                new Trial.Verdict(2, 3, 4, 5, List.of("b killed")),
                new LoadProgress(1, 2, 3, 4, 5).verdict(List.of("b killed")));
    }
}
