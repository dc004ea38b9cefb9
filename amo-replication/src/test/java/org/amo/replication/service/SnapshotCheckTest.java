package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A user's own test finds a service that is another one after a snapshot. */
@Timeout(60)
final class SnapshotCheckTest {
    interface Votes {
        String vote(String party, String voter);
    }

    /** Each party's votes in the order of the voters' names: inner TreeMaps came back as LinkedHashMaps. */
    static final class SortedVotes implements Votes {
        private final Map<String, Map<String, Integer>> parties = new HashMap<>();

        @Override
        public String vote(String party, String voter) {
            parties.computeIfAbsent(party, name -> new TreeMap<>()).merge(voter, 1, Integer::sum);
            return parties.toString();
        }
    }

    /** Keeps state where no snapshot looks for it. */
    static final class ForgetfulVotes implements Votes {
        private int count;
        private transient String last = "";

        @Override
        public String vote(String party, String voter) {
            String before = last;
            last = voter;
            count++;
            return count + before;
        }
    }

    /** Its own snapshot leaves out the order. */
    static final class OwnState implements Votes, AmoState {
        private final List<String> all = new ArrayList<>();

        @Override
        public String vote(String party, String voter) {
            all.add(0, voter);
            return all.toString();
        }

        @Override
        public byte[] take() {
            return String.join(",", all).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public void restore(byte[] state) {
            all.clear();
            all.addAll(new TreeSet<>(List.of(new String(state, StandardCharsets.UTF_8).split(","))));
        }
    }

    /** Becomes unfit while it runs. */
    static final class OwnComparator implements Votes {
        private final Map<String, Map<String, Integer>> parties = new HashMap<>();

        @Override
        public String vote(String party, String voter) {
            parties.computeIfAbsent(party, name -> new TreeMap<>((one, two) -> two.compareTo(one)))
                    .merge(voter, 1, Integer::sum);
            return parties.toString();
        }
    }

    private static String faultOf(Supplier<Votes> services) {
        EmbeddedGroup group = EmbeddedGroup.of(3, Votes.class, services);
        Votes votes = group.client().proxy(Votes.class);
        for (String voter : List.of("m", "z", "a", "k")) {
            votes.vote("p", voter);
        }
        IllegalStateException waiting =
                assertThrows(IllegalStateException.class, () -> group.awaitAgreement(Duration.ofSeconds(10)));
        IllegalStateException closing = assertThrows(IllegalStateException.class, group::close);
        assertEquals(waiting.getMessage(), closing.getMessage());
        assertEquals(1, closing.getMessage().lines().count());
        return closing.getMessage();
    }

    @Test
    void aServiceWhoseSnapshotsKeepItsStatePasses() {
        try (EmbeddedGroup group = EmbeddedGroup.of(3, Votes.class, SortedVotes::new)) {
            Votes votes = group.client().proxy(Votes.class);
            Random random = new Random(3);
            for (int i = 0; i < 300; i++) {
                votes.vote("party" + random.nextInt(5), "voter" + random.nextInt(40));
            }
            assertTrue(votes.vote("p", "z").contains("p={z=1}"));
            assertTrue(group.awaitAgreement(Duration.ofSeconds(10)));
        }
    }

    @Test
    void whatASnapshotLeavesOutIsToldWithTheFieldsThatAreNoState() {
        String why = faultOf(ForgetfulVotes::new);
        assertTrue(why.contains("ForgetfulVotes that was restored from a snapshot before position"), why);
        assertTrue(why.contains("gives another reply"), why);
        assertTrue(why.contains("[ForgetfulVotes.last]"), why);
    }

    @Test
    void anAmoStateThatLeavesSomethingOutIsTold() {
        String why = faultOf(OwnState::new);
        assertTrue(why.endsWith("its AmoState leaves something out"), why);
    }

    @Test
    void aFieldThatBecomesUnfitIsTold() {
        String why = faultOf(OwnComparator::new);
        assertTrue(why.contains("field OwnComparator.parties cannot be kept in a snapshot"), why);
    }

    @Test
    void aSupplierThatGivesOneObjectTwiceIsRefusedAtTheStart() {
        SortedVotes one = new SortedVotes();
        IllegalArgumentException why =
                assertThrows(IllegalArgumentException.class, () -> EmbeddedGroup.of(3, Votes.class, () -> one));
        assertEquals(
                "the supplier gives the same " + SortedVotes.class.getName()
                        + " twice; it must make a new one for each member and start",
                why.getMessage());
    }

    static final class WithThreads implements Votes {
        private final List<Process> processes = new ArrayList<>();

        @Override
        public String vote(String party, String voter) {
            return party + processes.size();
        }
    }

    @Test
    void aFieldThatNoSnapshotCanHoldIsRefusedAtTheStart() {
        IllegalArgumentException why =
                assertThrows(IllegalArgumentException.class, () -> EmbeddedGroup.of(1, Votes.class, WithThreads::new));
        assertTrue(
                why.getMessage().startsWith("field WithThreads.processes cannot be kept in a snapshot"),
                why.getMessage());
        IllegalArgumentException start = assertThrows(IllegalArgumentException.class, () -> AmoReplica.builder("g")
                .id("a")
                .members("a=127.0.0.1:1/2")
                .insecure()
                .service(Votes.class, new WithThreads())
                .start());
        assertTrue(start.getMessage().contains("make it transient"), start.getMessage());
        assertEquals(1, start.getMessage().lines().count());
        try (EmbeddedGroup group = EmbeddedGroup.ofWithoutSnapshots(1, Votes.class, WithThreads::new)) {
            assertEquals("p0", group.client().proxy(Votes.class).vote("p", "v"));
        }
    }
}
