package org.amo.testkit.once;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.amo.once.IdempotencyKey;
import org.amo.once.OnceExecutor;
import org.amo.testkit.once.InMemoryResultStore.Numbers;
import org.junit.jupiter.api.Test;

final class InMemoryResultStoreTest extends InMemoryContract {
    @Override
    InMemoryResultStore make(Clock clock) {
        return new InMemoryResultStore(clock);
    }

    @Test
    void workCannotChangeNumbersBehindItsEnd() {
        List<Numbers> kept = new ArrayList<>();
        OnceExecutor.over(store(), options().build()).execute(IdempotencyKey.of("t", "k"), new byte[0], numbers -> {
            kept.add(numbers);
            return new byte[0];
        });
        assertThrows(IllegalStateException.class, () -> kept.get(0).add("x", 1));
        assertThrows(IllegalStateException.class, () -> kept.get(0).get("x"));
    }
}
