package org.amo.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CallPathTest {
    private static final CallPath BANK = new CallPath(List.of("bank"));

    /** An operation of group audit, for which these groups wait. */
    private static RunningOperation audit(CallPath path) {
        return new RunningOperation("audit", new NestedCalls() {
            @Override
            public Optional<byte[]> call(NestedCall call) {
                return Optional.empty();
            }

            @Override
            public CallPath path() {
                return path;
            }
        });
    }

    @Test
    void aCallOfAnotherGroupHasThePathOfItsOperationAndTheOperationsGroup() {
        assertEquals(
                List.of("audit"),
                audit(CallPath.NONE).pathTo("it", "bank"::equals).groups());
        assertEquals(
                List.of("bank", "audit"),
                audit(BANK).pathTo("it", "log"::equals).groups());
    }

    @Test
    void aCallOfAGroupThatWaitsIsRefusedAndTheWayBackIsNamed() {
        CallPath path = new CallPath(List.of("front", "bank", "log"));
        String why = assertThrows(NestedCallException.class, () -> audit(path).pathTo("group bank", "bank"::equals))
                .getMessage();
        assertTrue(why.contains("called group bank, and group bank waits"), why);
        assertTrue(why.contains(": bank -> log -> audit -> bank;"), why);
    }

    @Test
    void aPathThatWouldBeTooLongIsRefusedBeforeItIsSent() {
        CallPath most = new CallPath(Collections.nCopies(CallPath.MAX_GROUPS, "g"));
        CallPath longest = new CallPath(List.of("\u00e9".repeat(CallPath.MAX_BYTES / 2)));
        for (CallPath path : List.of(most, longest)) {
            String why = assertThrows(
                            NestedCallException.class, () -> audit(path).pathTo("group bank", "bank"::equals))
                    .getMessage();
            assertTrue(why.contains("more than 16 groups or 1024 bytes"), why);
            assertThrows(IllegalArgumentException.class, () -> new CallPath(List.of(path.toString(), "x", "")));
        }
        assertEquals(
                CallPath.MAX_GROUPS,
                new CallPath(Collections.nCopies(CallPath.MAX_GROUPS - 1, "g"))
                        .through("audit")
                        .orElseThrow()
                        .groups()
                        .size());
    }
}
