package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.amo.base.observe.Reading;
import org.amo.core.order.GroupMembers;
import org.amo.core.order.Member;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.junit.jupiter.api.Test;

/** A member as monitoring sees it. */
class ObservedReplicaTest {
    private final Map<String, Object> fields = new HashMap<>();
    private Optional<ReplicatedService> joined = Optional.empty();
    private final Map<String, String> peers = new HashMap<>();
    private final ObservedReplica member =
            new ObservedReplica("bank", "a", Member.parseList("a=x:1/2,b=x:3/4,c=x:5/6"), () -> joined, this::statusOf);
    private Optional<GroupMembers> now = Optional.empty();

    /** A field that is added to the record must get a metric, too. */
    @Test
    void everyNumberOfAStatusIsAReading() {
        Map<Long, String> wanted = new HashMap<>();
        long next = 1_001;
        for (RecordComponent component : ReplicaStatus.class.getRecordComponents()) {
            if (component.getType() == long.class) {
                fields.put(component.getName(), next);
                wanted.put(next++, component.getName());
            } else if (component.getName().equals("snapshot")) {
                Map<String, Long> numbers = new HashMap<>();
                for (String each : List.of("position", "bytes", "takeMicros", "writeMicros", "taken")) {
                    numbers.put(each, next);
                    wanted.put(next++, "snapshot." + each);
                }
                fields.put("snapshot", numbers);
            } else if (component.getType() == Map.class) {
                fields.put(component.getName(), Map.of("some", next));
                wanted.put(next++, component.getName());
            }
        }
        assertTrue(wanted.size() > 25, wanted::toString);
        for (Reading reading : ReplicaReadings.of(status())) {
            double value = reading.value().doubleValue();
            wanted.remove(Math.round(value * unit(reading.name())));
        }
        assertEquals(Map.of(), wanted, "add these fields to ReplicaReadings and to docs/reference/metrics.md");
    }

    /** Of the field, in the unit of the metric. */
    private static double unit(String metric) {
        boolean micros = metric.endsWith("_p99_seconds") || metric.startsWith("amo_replica_snapshot_");
        return !metric.endsWith("_seconds") ? 1 : micros ? 1_000_000 : 1_000;
    }

    @Test
    void eachReasonEachBudgetAndEachKindIsThereBeforeItHappens() {
        for (boolean before : new boolean[] {true, false}) {
            joined = before ? Optional.empty() : Optional.of(new Stub());
            assertEquals(names(Refusal.values()), labels("amo_replica_refusals_total", "reason"));
            assertEquals(names(Budget.values()), labels("amo_replica_overloads_total", "budget"));
            assertEquals(
                    Set.of("requests", "acknowledgements", "ticks", "malformed"),
                    labels("amo_replica_ordered_entries_total", "kind"));
        }
        fields.put("refusals", Map.of("STALE", 5L));
        fields.put("orderedEntries", Map.of("total", 9L, "ticks", 7L, "malformedMessages", 2L));
        assertEquals(5, value("amo_replica_refusals_total", "STALE"));
        assertEquals(0, value("amo_replica_refusals_total", "EXPIRED"));
        assertEquals(7, value("amo_replica_ordered_entries_total", "ticks"));
        assertEquals(2, value("amo_replica_malformed_messages_total"));
        assertFalse(labels("amo_replica_ordered_entries_total", "kind").contains("total"), "it is the sum of others");
    }

    @Test
    void namesAreTheSameBeforeTheMemberHasJoined() {
        List<String> before = names(member.readings());
        joined = Optional.of(new Stub());
        assertEquals(before, names(member.readings()));
    }

    @Test
    void timesAreInSecondsAndRolesAreOneOrZero() {
        joined = Optional.of(new Stub());
        fields.putAll(Map.of("orderedTimeMillis", 1_500L, "sackLagMillis", 20L, "leader", "b", "primary", "a"));
        assertEquals(1.5, value("amo_replica_ordered_time_seconds"));
        assertEquals(0.02, value("amo_replica_sack_lag_seconds"));
        assertEquals(0, value("amo_replica_leader"));
        assertEquals(1, value("amo_replica_primary"));
        fields.put("leader", "a");
        assertEquals(1, value("amo_replica_leader"));
    }

    @Test
    void aMemberIsReadyOnceItHasJoinedAndKnowsALeader() {
        assertNotReady("it has not joined its group yet");
        joined = Optional.of(new Stub());
        assertNotReady("no leader is known");
        fields.put("leader", "b");
        assertNotReady("its group has not begun");
        fields.put("orderedTimeMillis", 1L);
        assertEquals(Optional.empty(), member.readiness().obstacle());
        assertEquals(1, value("amo_replica_ready"));
    }

    @Test
    void aMemberWithAFaultIsNotReadyAndSaysWhichOne() {
        serves();
        fields.put("trouble", "the disk is full; make room");
        assertNotReady("the disk is full; make room");
        fields.remove("trouble");
        fields.putAll(Map.of("divergedAt", 7L, "divergence", "at 7, operation add"));
        assertNotReady("it differs from the other members: at 7, operation add");
        fields.put("divergedAt", 0L);
        assertTrue(member.readiness().isReady(), "it is equal again");
    }

    @Test
    void aMemberThatRunsALongLogAgainIsNotReady() {
        serves();
        fields.putAll(Map.of("position", 5_000L, "executedPosition", 100L));
        assertNotReady("it is behind: 4900 entries of the log are delivered and not executed yet");
        fields.put("executedPosition", 4_000L);
        assertTrue(member.readiness().isReady());
    }

    @Test
    void aMemberThatStopsIsNotReadyAndTheFirstReasonStays() {
        serves();
        member.leaves("its log ended");
        member.leaves("close was called");
        assertNotReady("the member stops, or has ended: its log ended");
    }

    @Test
    void theStatusIsJsonAlsoBeforeTheMemberHasJoined() {
        assertEquals("{\"id\":\"a\"}", member.statusJson());
        joined = Optional.of(new Stub());
        fields.putAll(Map.of("position", 7L, "refusals", Map.of("STALE", 2L), "trouble", "a \"b\"\n"));
        String json = member.statusJson();
        assertTrue(json.startsWith("{\"id\":\"a\",\"leader\":\"\",\"position\":7,"), json);
        assertTrue(json.contains("\"refusals\":{\"STALE\":2}"), json);
        assertTrue(json.contains("\"trouble\":\"a \\\"b\\\"\\u000a\""), json);
        assertTrue(json.endsWith(",\"pendingTimers\":0,\"uninstrumentedClasses\":0}"), json);
    }

    @Test
    void aPageShowsTheOwnStatusAndThoseOfTheOthersThatAnswer() {
        peers.put("b=x:3/4", "{\"id\":\"b\"}");
        peers.put("a=x:1/2", "it asks itself over the network");
        Map<String, Optional<String>> statuses = member.statuses();
        assertEquals(List.of("a", "b", "c"), List.copyOf(statuses.keySet()));
        assertEquals(Optional.of("{\"id\":\"a\"}"), statuses.get("a"));
        assertEquals(Optional.of("{\"id\":\"b\"}"), statuses.get("b"));
        assertEquals(Optional.empty(), statuses.get("c"));
    }

    @Test
    void aPageShowsThePresentMembers() {
        joined = Optional.of(new Stub());
        now = Optional.of(new GroupMembers(2, Member.parseList("d=x:7/8,c=x:5/6")));
        peers.put("d=x:7/8", "{}");
        assertEquals(
                List.of("d", "c", "a"), List.copyOf(member.statuses().keySet()), "a member that was removed is last");
        assertEquals(Optional.of("{}"), member.statuses().get("d"));
    }

    // ---- the member

    private String statusOf(Member asked) throws AdministrationException {
        String status = peers.get(asked.toString());
        if (status == null) {
            throw new AdministrationException(AdministrationException.Cause.UNREACHABLE, "down");
        }
        return status;
    }

    private void serves() {
        joined = Optional.of(new Stub());
        fields.putAll(Map.of("leader", "b", "orderedTimeMillis", 1L));
        assertTrue(member.readiness().isReady());
    }

    private void assertNotReady(String why) {
        assertEquals(Optional.of(why), member.readiness().obstacle());
        assertEquals(0, value("amo_replica_ready"));
    }

    private double value(String name, String... label) {
        List<Reading> found = member.readings().stream()
                .filter(reading -> reading.name().equals(name)
                        && List.copyOf(reading.labels().values()).equals(List.of(label)))
                .toList();
        assertEquals(1, found.size(), name);
        return found.get(0).value().doubleValue();
    }

    private Set<String> labels(String name, String label) {
        return member.readings().stream()
                .filter(reading -> reading.name().equals(name))
                .map(reading -> reading.labels().get(label))
                .collect(Collectors.toSet());
    }

    private static List<String> names(List<Reading> readings) {
        return readings.stream()
                .map(reading -> reading.name() + reading.labels())
                .toList();
    }

    private static Set<String> names(Enum<?>[] values) {
        return Arrays.stream(values).map(Enum::name).collect(Collectors.toSet());
    }

    /** Every field that the test has not set is 0 or empty. */
    private ReplicaStatus status() {
        return MemberWithoutClients.statusWith(fields);
    }

    private final class Stub extends MemberWithoutClients {
        @Override
        public ReplicaStatus status() {
            return ObservedReplicaTest.this.status();
        }

        @Override
        public Optional<GroupMembers> members() {
            return now;
        }
    }
}
