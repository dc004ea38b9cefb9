package org.amo.lab.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.observe.Trial;
import org.amo.replication.FreePorts;
import org.junit.jupiter.api.Test;

class DemoTrialTest {
    private final List<Integer> ports = FreePorts.find(2);
    private final DemoTrial trial = trial(true);

    private DemoTrial trial(boolean comeBack) {
        List<Member> members =
                List.of(new Member("a", "127.0.0.1", 1, ports.get(0)), new Member("b", "127.0.0.1", 2, ports.get(1)));
        return new DemoTrial(members, comeBack, events -> new Trial.Verdict(9, 1, 2, 3, events));
    }

    @Test
    void theRunTakesAWishOnce() {
        assertEquals(Optional.empty(), trial.takeWish());
        assertEquals(Optional.empty(), trial.kill("b"));
        assertEquals(Optional.of("b"), trial.takeWish());
        assertEquals(Optional.empty(), trial.takeWish());
    }

    @Test
    void oneMemberIsKilledAtATime() {
        assertEquals(Optional.empty(), trial.kill("b"));
        assertTrue(trial.kill("a").orElseThrow().startsWith("a member has not come back"), "before the run took it");
        trial.takeWish();
        trial.away(Optional.of("b"));
        assertTrue(trial.kill("a").orElseThrow().startsWith("b has not come back"));
        assertTrue(trial.kill("b").isPresent());
        trial.away(Optional.empty());
        assertEquals(Optional.empty(), trial.kill("a"));
    }

    @Test
    void aMemberThatIsNoneOrCannotComeBackIsNotKilled() {
        assertEquals(Optional.of("there is no member 'x'"), trial.kill("x"));
        assertTrue(trial(false).kill("a").orElseThrow().contains("--log memory"));
        assertEquals(Optional.empty(), trial.takeWish());
    }

    @Test
    void theVerdictIsThatOfTheClientsAndTheLatestEventsAreKept() {
        for (int i = 0; i < 20; i++) {
            trial.tell("event " + i);
        }
        Trial.Verdict verdict = trial.verdict();
        assertEquals(9, verdict.answered());
        assertEquals(1, verdict.failed());
        assertEquals(2, verdict.executedTwice());
        assertEquals(3, verdict.lost());
        assertEquals(8, verdict.events().size());
        assertEquals("event 19", verdict.events().get(7));
    }

    @Test
    void membersThatAreDownHaveNoStatus() {
        assertEquals("[a, b]", trial.statuses().keySet().toString());
        assertTrue(trial.statuses().values().stream().allMatch(Optional::isEmpty));
    }
}
