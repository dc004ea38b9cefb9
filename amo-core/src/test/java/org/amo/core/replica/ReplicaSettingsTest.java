package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.amo.base.SecretRing;
import org.amo.core.order.Member;
import org.amo.core.order.TlsFiles;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Nested;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.core.replica.ReplicaSettings.RandomSource;
import org.amo.core.replica.ReplicaSettings.Store;
import org.amo.core.replica.ReplicaSettings.Style;
import org.amo.core.request.Principal;
import org.junit.jupiter.api.Test;

/** The properties of a member: their defaults, their limits, and messages that name the property. */
final class ReplicaSettingsTest {
    private static final String MEMBERS = "a=127.0.0.1:7801/9801,b=127.0.0.1:7802/9802";

    /** Each parameter of the group that a property states. */
    private static final Map<String, ToLongFunction<GroupParameters>> PARAMETERS = Map.of(
            "amo.budget", GroupParameters::budgetBytes,
            "amo.retentionMillis", GroupParameters::retentionMillis,
            "amo.skewMillis", GroupParameters::skewMillis,
            "amo.defaultDeadlineMillis", GroupParameters::defaultDeadlineMillis,
            "amo.maxClients", GroupParameters::maxClients,
            "amo.clientShare", GroupParameters::clientShare,
            "amo.principalShare", GroupParameters::principalShare,
            "amo.clientCallsPerSecond", GroupParameters::clientCallsPerSecond,
            "amo.principalCallsPerSecond", GroupParameters::principalCallsPerSecond);

    private static final Set<String> INTS = Set.of(
            "amo.maxClients",
            "amo.clientShare",
            "amo.principalShare",
            "amo.clientCallsPerSecond",
            "amo.principalCallsPerSecond");

    private final Map<String, String> properties =
            new HashMap<>(Map.of("amo.group", "bank", "amo.id", "b", "amo.members", MEMBERS));

    // ------------------------------------------------- defaults

    @Test
    void threePropertiesAreEnoughAndTheRestIsSafe() {
        ReplicaSettings settings = read();
        assertEquals("bank", settings.group());
        assertEquals("b", settings.id());
        assertEquals(Member.parseList(MEMBERS), settings.members());
        assertEquals(Member.parseList(MEMBERS).get(1), settings.self());
        assertEquals(Order.RAFT, settings.order());
        assertEquals(Log.FSYNC, settings.log());
        assertEquals(Path.of(".amo"), settings.data());
        assertEquals(Store.HEAP, settings.store());
        assertEquals(Nested.REFUSE, settings.nested());
        assertEquals(GroupParameters.defaults(), settings.parameters());
        assertEquals(Set.of(), settings.stated());
        assertEquals(Optional.of("secret"), settings.secret());
        assertEquals(Optional.empty(), settings.history());
        assertEquals(Optional.empty(), settings.tls());
    }

    @Test
    void aPropertyThatIsMissingOrEmptyIsNamed() {
        for (String name : List.of("amo.group", "amo.id", "amo.members")) {
            String before = properties.remove(name);
            assertEquals("property " + name + " is not set", refused());
            properties.put(name, "");
            assertEquals("property " + name + " is not set", refused());
            properties.put(name, before);
        }
    }

    // ------------------------------------------------- choices

    @Test
    void choicesAreReadInAnyCase() {
        properties.put("amo.order", "Sequencer");
        properties.put("amo.log", "memory");
        properties.put("amo.store", "CHRONICLE");
        properties.put("amo.nested", "allow");
        properties.put("amo.data", "there");
        properties.put("amo.history", "history.jsonl");
        ReplicaSettings settings = read();
        assertEquals(Order.SEQUENCER, settings.order());
        assertEquals(Log.MEMORY, settings.log());
        assertEquals(Store.CHRONICLE, settings.store());
        assertEquals(Nested.ALLOW, settings.nested());
        assertEquals(Path.of("there"), settings.data());
        assertEquals(Optional.of(Path.of("history.jsonl")), settings.history());
    }

    @Test
    void aStyleChoosesTheSourceOfRandomNumbersAndTheTreatmentOfNestedCalls() {
        assertEquals(Style.ACTIVE, read().style());
        assertEquals(RandomSource.SEEDED, read().random());
        properties.put("amo.random", "leader");
        assertEquals(RandomSource.LEADER, read().random());
        properties.remove("amo.random");
        properties.put("amo.style", "leader");
        assertEquals(Style.LEADER, read().style());
        assertEquals(RandomSource.LEADER, read().random());
        assertEquals(Nested.ORDERED, read().nested());
        properties.put("amo.random", "seeded");
        assertTrue(refused().contains("--style leader") && refused().contains("--random seeded"), refused());
        properties.remove("amo.random");
        properties.put("amo.nested", "allow");
        assertTrue(refused().contains("--style leader") && refused().contains("--nested allow"), refused());
    }

    /** Only the leader of such a group executes operations. */
    @Test
    void stylePassiveOrdersNoNestedCalls() {
        properties.put("amo.style", "passive");
        assertEquals(Style.PASSIVE, read().style());
        properties.put("amo.nested", "allow");
        assertEquals(Nested.ALLOW, read().nested());
        properties.put("amo.nested", "ordered");
        assertTrue(refused().contains("--style passive") && refused().contains("--nested ordered"), refused());
        properties.put("amo.style", "active");
        assertEquals(Nested.ORDERED, read().nested());
    }

    @Test
    void parallelExecutionIsAChoiceOfAllMembersAndItsThreadsAreNot() {
        assertEquals(1, read().executors());
        properties.put("amo.execute", "parallel=4");
        assertEquals(4, read().executors());
        assertEquals("parallel", read().equalAtAllMembers().get("--execute (amo.execute)"));
        properties.put("amo.execute", "parallel=33");
        assertEquals(
                "'parallel=33' is no way to execute; write serial, or parallel=N with N from 2 to 32, for example"
                        + " parallel=4",
                refused());
    }

    @Test
    void parallelExecutionExcludesWhatNeedsAnOrderOfOperations() {
        properties.put("amo.execute", "parallel=4");
        properties.put("amo.style", "passive");
        assertTrue(refused().contains("--style passive (amo.style)"), refused());
        properties.put("amo.style", "leader");
        assertTrue(refused().contains("--nested ordered (amo.nested, that of --style leader)"), refused());
        properties.put("amo.nested", "refuse");
        assertEquals(4, read().executors());
        properties.put("amo.style", "active");
        properties.put("amo.nested", "allow");
        assertTrue(refused().contains("--nested allow (amo.nested)"), refused());
    }

    @Test
    void anUnknownStyleIsRefused() {
        properties.put("amo.style", "lazy");
        assertTrue(refused().startsWith("property amo.style: 'lazy' is none of [active, leader"), refused());
    }

    @Test
    void settingsThatMustBeEqualAreTheChoicesAndThoseOfTheProcess() {
        assertEquals(
                Map.of(
                        "--divergence (amo.divergence)",
                        "stop",
                        "--execute (amo.execute)",
                        "serial",
                        "--nested (amo.nested)",
                        "refuse",
                        "--random (amo.random)",
                        "seeded",
                        "--style (amo.style)",
                        "active",
                        ReplicaSettings.FORMATS,
                        "1"),
                read().equalAtAllMembers());
        Map<String, String> all =
                builder().ofProcess(Map.of("zone", "UTC")).build().equalAtAllMembers();
        assertEquals("UTC", all.get("zone"));
        assertEquals("active", all.get("--style (amo.style)"));
    }

    @Test
    void theFeatureLevelOfAGroupHasNoBoundUnlessOneIsSet() {
        assertEquals(OptionalInt.empty(), read().featureLevel());
        properties.put("amo.featureLevel", "auto");
        assertEquals(OptionalInt.empty(), read().featureLevel());
        properties.put("amo.featureLevel", "7");
        assertEquals(OptionalInt.of(7), read().featureLevel());
        for (String wrong : List.of("0", "-1", "high", "1.5", "1234567890")) {
            properties.put("amo.featureLevel", wrong);
            assertEquals(
                    "'" + wrong
                            + "' is no feature level; write auto, or a number from 1 on as the highest level that this"
                            + " member lets its group come to",
                    refused());
        }
    }

    @Test
    void anUnknownChoiceIsRefusedWithTheOnesThereAre() {
        properties.put("amo.log", "tape");
        assertEquals("property amo.log: 'tape' is none of [fsync, file, memory]", refused());
    }

    // ------------------------------------------------- parameters of the group

    @Test
    void eachParameterIsReadAndCountsAsStated() {
        PARAMETERS.forEach((name, parameter) -> {
            long value = parameter.applyAsLong(GroupParameters.defaults()) + 1;
            properties.put(name, Long.toString(value));
            ReplicaSettings settings = read();
            assertEquals(value, parameter.applyAsLong(settings.parameters()), name);
            assertEquals(Set.of(name), settings.stated());
            properties.remove(name);
        });
    }

    @Test
    void aParameterThatIsNoNumberOrTooLargeOrNegativeIsNamed() {
        for (String name : PARAMETERS.keySet()) {
            properties.put(name, "many");
            assertEquals("property " + name + " is not a number: 'many'", refused());
            properties.remove(name);
        }
        for (String name : INTS) {
            for (String value : List.of("2147483648", "-1")) {
                properties.put(name, value);
                assertEquals("property " + name + " is 0 to 2147483647, not " + value, refused());
                properties.remove(name);
            }
        }
        properties.put("amo.clientCallsPerSecond", "0");
        properties.put("amo.maxClients", "2147483647");
        assertEquals(Integer.MAX_VALUE, read().parameters().maxClients());
    }

    @Test
    void aMemberThatStatesAnotherValueThanTheGroupsIsToldBothAndWhatToDo() {
        PARAMETERS.forEach((name, parameter) -> {
            long ofGroup = parameter.applyAsLong(GroupParameters.defaults());
            properties.put(name, Long.toString(ofGroup + 1));
            String line = read().contradiction(GroupParameters.defaults()).orElseThrow();
            assertTrue(
                    line.startsWith("group bank was started with " + name + "=" + ofGroup + ", not " + (ofGroup + 1)
                            + "; leave the value out"),
                    line);
            properties.remove(name);
        });
    }

    @Test
    void aValueThatWasNotStatedOrIsTheGroupsContradictsNothing() {
        GroupParameters other = GroupParameters.builder().maxClients(7).build();
        assertEquals(Optional.empty(), read().contradiction(other));
        properties.put("amo.maxClients", "7");
        assertEquals(Optional.empty(), read().contradiction(other));
    }

    // ------------------------------------------------- weights

    @Test
    void weightsOfPrincipalsAreRead() {
        properties.put("amo.weights", "subject:CN=batch=4; address:10.0.0.7=999999");
        GroupParameters parameters = read().parameters();
        assertEquals(4, parameters.weight(Principal.subject("CN=batch")));
        assertEquals(999_999, parameters.weight(Principal.address(new byte[] {10, 0, 0, 7})));
        assertEquals(1, parameters.weight(Principal.credential("anyone else")));
    }

    @Test
    void aWeightThatIsNoneIsQuotedWithTheForm() {
        for (String text : List.of("credential:x", "credential:x=", "credential:x=0", "credential:x=1000000", "=")) {
            properties.put("amo.weights", "credential:a=2;" + text);
            String message = refused();
            assertTrue(
                    message.startsWith("property amo.weights is PRINCIPAL=WEIGHT")
                            && message.endsWith("'" + text + "'"),
                    message);
        }
        properties.put("amo.weights", "=4");
        assertTrue(refused().startsWith("a principal is"), "the weight is right and the principal is not");
    }

    // ------------------------------------------------- what holds for all settings

    @Test
    void aGroupsNameHasOneTo64PlainCharacters() {
        for (String name : List.of("a", "A-b_c.9", "x".repeat(64))) {
            properties.put("amo.group", name);
            assertEquals(name, read().group());
        }
        for (String name : List.of("a b", "ä", "x".repeat(65))) {
            properties.put("amo.group", name);
            assertTrue(refused().startsWith("a group's name is"), name);
        }
    }

    @Test
    void aMemberIsAmongTheMembers() {
        properties.put("amo.id", "c");
        assertEquals("member 'c' is not in --members " + MEMBERS + "; add it or correct --id", refused());
    }

    @Test
    void theSecretIsNotInTheText() {
        String text = read().toString();
        assertFalse(text.contains("secret"), text);
        assertTrue(text.contains("member b of group bank"), text);
    }

    @Test
    void tlsIsAddedAndTheRestStays() {
        properties.put("amo.nested", "allow");
        properties.put("amo.maxClients", "7");
        ReplicaSettings before = read();
        TlsFiles files = new TlsFiles(Path.of("keys"), "one", Path.of("trust"), "two");
        ReplicaSettings after = builder().tls(Optional.of(files)).build();
        assertEquals(Optional.of(files), after.tls());
        assertEquals(Nested.ALLOW, after.nested());
        assertEquals(before.stated(), after.stated());
        assertEquals(before.parameters(), after.parameters());
        assertEquals(before.toString(), after.toString());
    }

    @Test
    void aBuilderTakesTheFilesOfTls() {
        TlsFiles files = new TlsFiles(Path.of("keys"), "one", Path.of("trust"), "two");
        ReplicaSettings settings = ReplicaSettings.builder("bank", "b", Member.parseList(MEMBERS))
                .tls(Optional.of(files))
                .build();
        assertEquals(Optional.of(files), settings.tls());
    }

    private ReplicaSettings read() {
        return ReplicaSettings.fromProperties(properties::get, Optional.of(SecretRing.of("secret")));
    }

    private ReplicaSettings.Builder builder() {
        return ReplicaSettings.builder(properties::get, Optional.of(SecretRing.of("secret")));
    }

    private String refused() {
        return assertThrows(IllegalArgumentException.class, this::read).getMessage();
    }
}
