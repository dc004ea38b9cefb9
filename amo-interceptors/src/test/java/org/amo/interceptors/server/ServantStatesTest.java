package org.amo.interceptors.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import everything.Calls;
import everything.CallsHelper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import org.amo.core.state.KeptTables;
import org.amo.interceptors.state.StateCodec;
import org.amo.meetings.Decoder;
import org.amo.meetings.HostileBytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.omg.CORBA.ORB;
import org.omg.CORBA.portable.IDLEntity;
import org.omg.CosNaming.NamingContext;
import org.omg.CosNaming.NamingContextHelper;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;
import org.omg.PortableServer.Servant;

/** What of a servant goes into a snapshot, and what is refused. */
class ServantStatesTest implements HostileBytes {
    private final ServantStates states = new ServantStates(Optional.empty(), Optional.empty(), true, Optional.empty());

    private abstract static class Plain extends Servant {
        @Override
        public String[] _all_interfaces(POA poa, byte[] objectId) {
            return new String[0];
        }
    }

    private record Money(long cents) implements Serializable {}

    private static class Base extends Plain {
        private long inherited;
    }

    private static final class Account extends Base {
        private final Map<String, Money> balances = new TreeMap<>();
        private final transient List<String> notKept = new ArrayList<>();
        private List<String> shared = new ArrayList<>();
    }

    private static final class Holder extends Plain {
        private Object anything = "";
    }

    private static final class Table extends Plain {
        private Map<String, String> names = new HashMap<>();
    }

    /** A client may choose such keys, and in style passive one member alone iterates. */
    @Test
    void tablesOfAnyShapeAreKeptIfTheirOrderNeedNotBe() throws NoStateException {
        Table from = new Table();
        for (String key : List.of("AaAaAaAa", "AaAaAaBB", "AaAaBBAa", "AaAaBBBB", "AaBBAaAa", "AaBBAaBB", "AaBBBBAa")) {
            from.names.put(key, key);
            from.names.put("BB" + key.substring(2), key);
        }
        Map<PoaObjectKey, Servant> servants = Map.of(new PoaObjectKey(new byte[] {1}), from);
        assertThrows(NoStateException.class, () -> states.take(servants));
        ServantStates unordered = new ServantStates(Optional.empty(), Optional.empty(), false, Optional.empty());
        Table to = new Table();
        unordered.applyUpdate(unordered.takeUpdate(servants), key -> to);
        assertEquals(from.names, to.names);
    }

    private static final class Opaque extends Plain {
        private final Map<String, Thread> threads = new HashMap<>();
    }

    /** With the operations of FT-CORBA's Checkpointable. */
    public static final class Checkpointed extends Plain {
        private String value = "";

        public byte[] get_state() {
            return value.getBytes(StandardCharsets.UTF_8);
        }

        public void set_state(byte[] state) {
            value = new String(state, StandardCharsets.UTF_8);
        }
    }

    /** With the operations of FT-CORBA's Updateable: an update is the words since the last one. */
    public static final class Updated extends Plain {
        private final List<String> words = new ArrayList<>();
        private int told;

        public byte[] get_state() {
            return String.join(" ", words).getBytes(StandardCharsets.UTF_8);
        }

        public void set_state(byte[] state) {
            words.clear();
            words.addAll(List.of(new String(state, StandardCharsets.UTF_8).split(" ")));
            told = words.size();
        }

        public byte[] get_update() {
            byte[] update = String.join(" ", words.subList(told, words.size())).getBytes(StandardCharsets.UTF_8);
            told = words.size();
            return update;
        }

        public void set_update(byte[] update) {
            words.addAll(List.of(new String(update, StandardCharsets.UTF_8).split(" ")));
            told = words.size();
        }
    }

    @Test
    void anUpdateIsADifferenceWhereTheServantGivesOneAndElseAllOfTheState() throws NoStateException {
        Updated primary = new Updated();
        Updated backup = new Updated();
        Checkpointed whole = new Checkpointed();
        Checkpointed wholeBackup = new Checkpointed();
        Map<PoaObjectKey, Servant> servants = new TreeMap<>(
                Map.of(new PoaObjectKey(new byte[] {1}), primary, new PoaObjectKey(new byte[] {2}), whole));
        Map<PoaObjectKey, Servant> others = new TreeMap<>(
                Map.of(new PoaObjectKey(new byte[] {1}), backup, new PoaObjectKey(new byte[] {2}), wholeBackup));
        for (String word : List.of("one", "two")) {
            primary.words.add(word);
            whole.value += word;
            byte[] update = states.takeUpdate(servants);
            states.applyUpdate(update, others::get);
        }
        assertEquals(List.of("one", "two"), backup.words);
        assertEquals("onetwo", wholeBackup.value);
        assertThrows(IllegalStateException.class, () -> states.applyUpdate(new byte[] {9}, others::get));
    }

    /** What IDL compilers call a tie; its fields are looked at by reflection. */
    @SuppressWarnings("UnusedVariable")
    private static final class BankPOATie extends Plain {
        private final Object _delegate;
        private final Thread runsIn = Thread.currentThread();

        BankPOATie(Object delegate) {
            _delegate = delegate;
        }
    }

    private static final class Delegate {
        private long count;
    }

    @SuppressWarnings("JdkObsolete")
    private static final class Hashed extends Plain {
        private final Map<String, Set<String>> sets = new HashMap<>();
        private final Map<String, Object> cycle = new HashMap<>();
        private Hashtable<String, Object> table = new Hashtable<>();
        private Map<String, Object> concurrent = new ConcurrentHashMap<>();
        private final Set<String> keys = ConcurrentHashMap.newKeySet();
        private final List<Map<String, String>> empty =
                List.of(new HashMap<>(), new HashMap<>(16), new ConcurrentHashMap<>());

        void add(List<String> names) {
            for (String name : names) {
                table.put(name, name);
                concurrent.put(name, name);
                keys.add(name);
            }
        }

        String show() {
            return sets + " " + Collections.list(table.keys()) + " " + table + " " + concurrent.keySet() + " " + keys
                    + " " + empty;
        }
    }

    /** No hash tables: how many buckets they had is believed, since they may have been larger once. */
    @SuppressWarnings("UnusedVariable") // The state holds them.
    private static final class Varied extends Plain {
        private final Map<String, List<Money>> balances = new TreeMap<>();
        private long[] numbers = {1, 2, 3};
        private Object[] mixed = {"a", 7, new Money(3)};
        private String text = "text";
    }

    private static Map<PoaObjectKey, Servant> varied() {
        Varied fields = new Varied();
        fields.balances.put("a", new ArrayList<>(List.of(new Money(7), new Money(-1))));
        Checkpointed checkpointed = new Checkpointed();
        checkpointed.value = "seven";
        Map<PoaObjectKey, Servant> servants = new LinkedHashMap<>();
        servants.put(new PoaObjectKey(new byte[] {1}), fields);
        servants.put(new PoaObjectKey(new byte[] {2}), checkpointed);
        servants.put(new PoaObjectKey(new byte[] {3}), fields);
        return servants;
    }

    private byte[] taken() {
        try {
            return states.take(varied());
        } catch (NoStateException e) {
            throw new AssertionError(e);
        }
    }

    private void restoreVaried(byte[] state) {
        Map<PoaObjectKey, Servant> servants = varied();
        states.restore(state, key -> Optional.ofNullable(servants.get(key))
                .orElseThrow(() -> new IllegalStateException("no servant " + key)));
    }

    @Override
    public List<Decoder> decoders() {
        return List.of(
                Decoder.of("state of servants", IllegalStateException.class, this::restoreVaried, taken())
                        .taking(100_000), // tables of the stream
                Decoder.of("references in servants", IllegalStateException.class, this::restoreReference, reference())
                        .taking(200_000)); // and the trace of JacORB's log
    }

    // ---- references

    private static final ORB MEMBER = Server.client(Map.of());

    @AfterAll
    static void endOrb() {
        MEMBER.shutdown(true);
        MEMBER.destroy();
    }

    private static ServantStates statesOf(ORB orb) {
        return new ServantStates(Optional.empty(), Optional.empty(), true, Optional.of(orb));
    }

    private static final class Publisher extends Plain {
        private final Set<Calls> listeners = new HashSet<>();
        private @Nullable Calls last;
        private org.omg.CORBA.@Nullable Object unnarrowed;
        private @Nullable NamingContext names;
    }

    private static final String SOMEWHERE = "corbaloc::127.0.0.1:9/somewhere";

    private byte[] reference() {
        Holder holder = new Holder();
        holder.anything = CallsHelper.unchecked_narrow(MEMBER.string_to_object(SOMEWHERE));
        try {
            return statesOf(MEMBER).take(keyed(Map.of("one", holder)));
        } catch (NoStateException e) {
            throw new AssertionError(e);
        }
    }

    private void restoreReference(byte[] state) {
        Holder holder = new Holder();
        statesOf(MEMBER).restore(state, key -> holder);
    }

    /** A stub came back without its object: each call failed at the restored member alone. */
    @Test
    void aReferenceInAFieldLeadsToItsObjectAfterARestore() throws Exception {
        ORB client = Server.client(Map.of());
        ORB other = Server.client(Map.of());
        try {
            POA root = POAHelper.narrow(client.resolve_initial_references("RootPOA"));
            root.the_POAManager().activate();
            CallsServant listener = new CallsServant();
            String ior = client.object_to_string(root.servant_to_reference(listener));
            Publisher from = new Publisher();
            Calls stub = CallsHelper.narrow(MEMBER.string_to_object(ior));
            from.last = stub;
            from.listeners.add(stub);
            from.unnarrowed = MEMBER.string_to_object(ior);
            from.names = NamingContextHelper.unchecked_narrow(MEMBER.string_to_object(SOMEWHERE));
            assertEquals(Optional.empty(), statesOf(MEMBER).obstacle(from));
            PoaObjectKey key = new PoaObjectKey(new byte[] {1});
            byte[] state = statesOf(MEMBER).take(Map.of(key, from));
            Publisher to = new Publisher();

            statesOf(other).restore(state, found -> to);

            Calls restored = to.listeners.iterator().next();
            assertEquals(1, restored.count(1));
            assertEquals(List.of("count 1"), listener.journal());
            assertSame(restored, to.last);
            assertTrue(to.listeners.contains(CallsHelper.narrow(other.string_to_object(ior))));
            assertTrue(Optional.ofNullable(to.unnarrowed).orElseThrow()._is_a(CallsHelper.id()));
            assertNotNull(to.names);
            assertEquals(MEMBER.object_to_string(stub), other.object_to_string(to.last));
            assertEquals(stub.hashCode(), restored.hashCode());
            assertArrayEquals(state, statesOf(other).take(Map.of(key, to)));
        } finally {
            client.shutdown(true);
            other.shutdown(true);
        }
    }

    @Test
    void aReferenceThatCannotComeBackIsNotTaken() {
        Holder holder = new Holder();
        for (Object reference : List.of(
                new everything._CallsStub(), CallsHelper.unchecked_narrow(MEMBER.string_to_object(SOMEWHERE)))) {
            holder.anything = reference;
            String why =
                    String.valueOf(assertThrows(NoStateException.class, () -> states.take(keyed(Map.of("one", holder))))
                            .getMessage());
            assertTrue(why.contains("_CallsStub") && why.contains("get_state"), why);
        }
    }

    /** Those of URLs would have the ORB read a file or ask another host. */
    @Test
    void onlyAnIorAndAStubAreReadAsAReference() throws Exception {
        String ior = MEMBER.object_to_string(MEMBER.string_to_object(SOMEWHERE));
        for (KeptReference hostile : List.of(
                new KeptReference(null, SOMEWHERE),
                new KeptReference(null, "file:///etc/hostname"),
                new KeptReference(null, "http://127.0.0.1:9/ior"),
                new KeptReference(null, "IOR:"),
                new KeptReference(null, "IOR:00000000000000010000000000000000"),
                new KeptReference(Link.class, ior))) {
            Holder holder = new Holder();
            holder.anything = hostile;
            byte[] state = statesOf(MEMBER).take(keyed(Map.of("one", holder)));
            Holder restored = new Holder();
            assertThrows(
                    IllegalStateException.class, () -> statesOf(MEMBER).restore(state, key -> restored), hostile.ior());
            assertEquals("", restored.anything);
        }
    }

    @Test
    void aLengthThatIsOnlyClaimedTakesNoMemory() {
        byte[] state = taken();
        // A long[] in a stream: its description ends with two bytes that say so, then comes its length.
        int at = new String(state, StandardCharsets.ISO_8859_1).indexOf("xp\0\0\0\3\0\0\0\0\0\0\0\1");
        assertTrue(at > 0);
        state[at + 2] = 0x70;
        IllegalStateException refused = assertThrows(IllegalStateException.class, () -> restoreVaried(state));
        assertTrue(refused.getMessage().contains("REJECTED"), refused.getMessage());
    }

    /** A small HashSet came back with fewer buckets, and a table that had been larger, too: both iterated in another order. */
    @Test
    void hashTablesIterateInTheSameOrderAfterARestore() throws Exception {
        Hashed from = new Hashed();
        for (int i = 0; i < 300; i++) {
            from.sets.put("name" + i, new HashSet<>(Set.of("north", "east", "south")));
        }
        from.sets.keySet().removeIf(name -> name.hashCode() % 50 != 0);
        from.cycle.put("self", from.cycle);
        from.add(List.of("Paris", "Lima", "Oslo", "Rome", "Bern"));
        Hashed to = new Hashed();
        for (int round = 0; round < 2; round++) {
            PoaObjectKey key = new PoaObjectKey("h".getBytes(StandardCharsets.UTF_8));
            byte[] state = states.take(Map.of(key, from));
            Hashed next = new Hashed();
            states.restore(state, found -> next);
            to = next;
            assertEquals(from.sets.toString(), to.sets.toString());
            from.sets.put("later" + round, Set.of());
            to.sets.put("later" + round, Set.of());
            assertEquals(from.sets.keySet().toString(), to.sets.keySet().toString());
            assertSame(to.cycle, to.cycle.get("self"));
            assertEquals(from.show(), to.show());
            for (Hashed each : List.of(from, to)) {
                each.add(List.of("Bonn" + round, "Kiel" + round, "Riga" + round));
                for (Map<String, String> map : each.empty) {
                    map.putAll(Map.of("north" + round, "", "east" + round, "", "south" + round, ""));
                }
            }
            assertEquals(from.show(), to.show());
            from = to;
        }
    }

    @Test
    void aTableThatHoldsItselfIsTheSameObjectAfterARestore() throws Exception {
        Hashed from = new Hashed();
        from.table.put("self", new ArrayList<>(List.of(from.table)));
        from.concurrent.put("self", new ArrayList<>(List.of(from.concurrent)));
        Hashed to = new Hashed();
        move(states, Map.of("one", from), Map.of("one", to));
        assertSame(
                to.table, ((List<?>) Optional.ofNullable(to.table.get("self")).orElseThrow()).get(0));
        assertSame(
                to.concurrent,
                ((List<?>) Optional.ofNullable(to.concurrent.get("self")).orElseThrow()).get(0));
    }

    private static final class OwnMap extends HashMap<String, String> {
        private static final long serialVersionUID = 1L;
    }

    @SuppressWarnings("JdkObsolete")
    private static final class OwnTable extends Hashtable<String, String> {
        private static final long serialVersionUID = 1L;
    }

    private static final class OwnSet extends HashSet<String> {
        private static final long serialVersionUID = 1L;
    }

    private static final class OwnConcurrent extends ConcurrentHashMap<String, String> {
        private static final long serialVersionUID = 1L;
    }

    /** The JDK reads one with another number of buckets. */
    @Test
    void aSubclassOfAHashTableIsRefusedWithItsFieldAndTheRemedyUnlessItsOrderNeedNotBeKept() throws Exception {
        ServantStates unordered = new ServantStates(Optional.empty(), Optional.empty(), false, Optional.empty());
        for (Object own : List.of(new OwnMap(), new OwnTable(), new OwnSet(), new OwnConcurrent())) {
            Holder holder = new Holder();
            holder.anything = own;
            String atStart = states.obstacle(holder).orElseThrow();
            holder.anything = new ArrayList<>(List.of(own));
            String why =
                    String.valueOf(assertThrows(NoStateException.class, () -> states.take(keyed(Map.of("one", holder))))
                            .getMessage());
            for (String line : List.of(atStart, why)) {
                assertTrue(
                        line.contains("Holder.anything")
                                && line.contains(own.getClass().getName())
                                && line.contains("LinkedHashMap"),
                        line);
            }
            move(unordered, Map.of("one", holder), Map.of("one", new Holder()));
        }
        Holder linked = new Holder();
        linked.anything = new ArrayList<>(List.of(new LinkedHashMap<>(), new LinkedHashSet<>(), new Properties()));
        move(states, Map.of("one", linked), Map.of("one", new Holder()));
    }

    /** As an operation does that copies its objects, or sends them. */
    private static byte[] serialized(Object object) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        return bytes.toByteArray();
    }

    /** Its loader cannot find amo's classes, and others would get other bytes from this member. */
    @Test
    @SuppressWarnings("JdkObsolete")
    void aProgramThatSerializesARestoredTableGetsAPlainOne() throws Exception {
        for (Object table : List.of(
                new HashMap<>(Map.of("a", 1, "b", 2, "c", 3)),
                new HashSet<>(Set.of("a", "b", "c")),
                new Hashtable<>(Map.of("a", 1, "b", 2, "c", 3)),
                new ConcurrentHashMap<>(Map.of("a", 1, "b", 2, "c", 3)))) {
            Holder from = new Holder();
            from.anything = new ArrayList<>(List.of(table, table));
            Holder to = new Holder();
            move(states, Map.of("one", from), Map.of("one", to));
            assertArrayEquals(
                    serialized(from.anything),
                    serialized(to.anything),
                    table.getClass().getName());
        }
    }

    /** As idlj makes it: without readResolve and equals. */
    @SuppressWarnings({"UnusedMethod", "EffectivelyPrivate"}) // Called by reflection.
    private static final class OrderStatus implements IDLEntity {
        private static final long serialVersionUID = 1L;
        private static final OrderStatus[] ALL = new OrderStatus[2];
        private static final OrderStatus OPEN = new OrderStatus(0);
        private static final OrderStatus CLOSED = new OrderStatus(1);

        private final int value;

        private OrderStatus(int value) {
            this.value = value;
            ALL[value] = this;
        }

        public int value() {
            return value;
        }

        public static OrderStatus from_int(int value) {
            return ALL[value];
        }
    }

    /** Each comparison by == was false at the restored member. */
    @Test
    void anEnumerationOfIdlComesBackAsItsConstants() throws Exception {
        Holder from = new Holder();
        from.anything = new ArrayList<>(List.of(OrderStatus.CLOSED, OrderStatus.OPEN, OrderStatus.CLOSED));
        Holder to = new Holder();
        move(states, Map.of("one", from), Map.of("one", to));
        List<?> restored = (List<?>) to.anything;
        assertSame(OrderStatus.CLOSED, restored.get(0));
        assertSame(OrderStatus.OPEN, restored.get(1));
        assertSame(OrderStatus.CLOSED, restored.get(2));
    }

    /** An enumeration from before enums. */
    private static class Suit implements Serializable {
        private static final long serialVersionUID = 1L;
        private static final Suit HEARTS = new Suit();
        private static final Suit TRUMP = new Suit() {
            private static final long serialVersionUID = 1L;
        };

        private Suit() {}

        static Suit another() {
            return new Suit();
        }
    }

    private static final class Resolved implements Serializable {
        private static final long serialVersionUID = 1L;
        private static final Resolved ONE = new Resolved();

        private Resolved() {}

        private Object readResolve() {
            return ONE;
        }
    }

    private static final class Amount implements Serializable {
        private static final long serialVersionUID = 1L;
        private static final Amount ZERO = new Amount(0);

        private final int cents;

        private Amount(int cents) {
            this.cents = cents;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Amount amount && amount.cents == cents;
        }

        @Override
        public int hashCode() {
            return cents;
        }
    }

    @Test
    void aConstantThatWouldComeBackAsAnotherObjectIsRefusedWithItsNameAndTheRemedy() throws Exception {
        Holder holder = new Holder();
        for (Suit constant : List.of(Suit.HEARTS, Suit.TRUMP)) {
            holder.anything = new ArrayList<>(List.of(constant));
            String why =
                    String.valueOf(assertThrows(NoStateException.class, () -> states.take(keyed(Map.of("one", holder))))
                            .getMessage());
            assertTrue(
                    why.contains("Holder.anything")
                            && why.contains("Suit." + (constant == Suit.HEARTS ? "HEARTS" : "TRUMP"))
                            && why.contains("readResolve"),
                    why);
        }
        holder.anything = new ArrayList<>(List.of(Suit.another(), Amount.ZERO, Resolved.ONE, Thread.State.NEW));
        Holder to = new Holder();
        move(states, Map.of("one", holder), Map.of("one", to));
        assertEquals(Amount.ZERO, ((List<?>) to.anything).get(1));
        assertSame(Resolved.ONE, ((List<?>) to.anything).get(2));
    }

    @Test
    void theFieldsOfAServantAndOfTheClassesAboveItAreItsState() throws Exception {
        Account account = new Account();
        account.balances.put("a", new Money(7));
        account.notKept.add("x");
        ((Base) account).inherited = 3;
        Account restored = new Account();

        move(states, Map.of("one", account), Map.of("one", restored));

        assertEquals(account.balances, restored.balances);
        assertEquals(3, ((Base) restored).inherited);
        assertEquals(List.of(), restored.notKept);
    }

    @Test
    void whatTwoServantsShareTheyShareAfterwards() throws Exception {
        Account one = new Account();
        Account other = new Account();
        one.shared.add("both");
        other.shared = one.shared;
        Account first = new Account();
        Account second = new Account();

        move(states, Map.of("1", one, "2", other, "3", one), Map.of("1", first, "2", second, "3", first));

        assertEquals(List.of("both"), first.shared);
        assertSame(first.shared, second.shared);
    }

    @Test
    void aServantThatCheckpointsItselfIsAsked() throws Exception {
        Checkpointed servant = new Checkpointed();
        servant.value = "kept";
        Checkpointed restored = new Checkpointed();
        assertEquals(Optional.empty(), states.obstacle(servant));

        move(states, Map.of("one", servant), Map.of("one", restored));

        assertEquals("kept", restored.value);
    }

    @Test
    void ofATieTheDelegateIsTheServant() throws Exception {
        Delegate delegate = new Delegate();
        delegate.count = 9;
        Delegate restored = new Delegate();
        assertEquals(Optional.empty(), states.obstacle(new BankPOATie(delegate)));

        move(states, Map.of("one", new BankPOATie(delegate)), Map.of("one", new BankPOATie(restored)));

        assertEquals(9, restored.count);
    }

    @Test
    void aCodecComesBeforeEverythingElse() throws Exception {
        StateCodec codec = new StateCodec() {
            @Override
            public byte[] take(Object servant) {
                return new byte[] {42};
            }

            @Override
            public void restore(Object servant, byte[] state) {
                assertArrayEquals(new byte[] {42}, state);
                ((Opaque) servant).threads.put("restored", Thread.currentThread());
            }
        };
        Opaque restored = new Opaque();
        ServantStates withCodec = new ServantStates(Optional.of(codec), Optional.empty(), true, Optional.empty());
        assertEquals(Optional.empty(), withCodec.obstacle(new Opaque()));

        move(withCodec, Map.of("one", new Opaque()), Map.of("one", restored));

        assertTrue(restored.threads.containsKey("restored"));
    }

    @Test
    void whatCannotBeSerializedIsNamedAtTheStart() {
        String why = states.obstacle(new Opaque()).orElseThrow();
        assertTrue(why.contains("Opaque.threads") && why.contains("java.lang.Thread"), why);
        Holder holder = new Holder();
        assertEquals(Optional.empty(), states.obstacle(holder));
        holder.anything = new Object();
        assertTrue(states.obstacle(holder).isPresent());
        assertThrows(NoStateException.class, () -> states.take(keyed(Map.of("one", holder))));
    }

    @Test
    void classesThatAreNotAllowedAreRefusedWhenTheStateIsTakenAndWhenItIsRead() throws Exception {
        Holder holder = new Holder();
        holder.anything = new javax.management.ObjectName("amo:type=state");
        String refused =
                String.valueOf(assertThrows(NoStateException.class, () -> states.take(keyed(Map.of("one", holder))))
                        .getMessage());
        assertTrue(refused.contains("javax.management.ObjectName") && refused.contains("amo.stateClasses"), refused);

        ServantStates open =
                new ServantStates(Optional.empty(), Optional.of("javax.management.*"), true, Optional.empty());
        byte[] state = open.take(keyed(Map.of("one", holder)));
        Holder restored = new Holder();
        open.restore(state, key -> restored);
        assertEquals(holder.anything, restored.anything);
        Holder strict = new Holder();
        assertThrows(IllegalStateException.class, () -> states.restore(state, key -> strict));
        assertEquals("", strict.anything);
    }

    @Test
    void aStateOfAnotherVersionOfTheServantIsRefused() throws Exception {
        byte[] state = states.take(keyed(Map.of("one", new Account())));
        String why = String.valueOf(
                assertThrows(IllegalStateException.class, () -> states.restore(state, key -> new Holder()))
                        .getMessage());
        assertTrue(why.contains("same version of the server"), why);
        assertTrue(why.contains("start the version that took it (docs/how-to/upgrade.md)"), why);
        byte[] cut = java.util.Arrays.copyOf(state, state.length - 1);
        assertThrows(IllegalStateException.class, () -> states.restore(cut, key -> new Account()));
    }

    /** A list of the application's own. */
    @SuppressWarnings("UnusedVariable") // The state holds the links.
    private static final class Link implements Serializable {
        private static final long serialVersionUID = 1L;

        private @Nullable Link next;
    }

    private static final class Chained extends Plain {
        private @Nullable Link first;

        void add(int links) {
            for (int i = 0; i < links; i++) {
                Link link = new Link();
                link.next = first;
                first = link;
            }
        }
    }

    /** Java serialization follows references by recursion. Nothing has changed, so the member lives without a snapshot. */
    @Test
    void aStateThatNestsTooDeepForTheStackIsNotTaken() {
        Chained chained = new Chained();
        chained.add(200_000);
        String why =
                String.valueOf(assertThrows(NoStateException.class, () -> states.take(keyed(Map.of("one", chained))))
                        .getMessage());
        assertTrue(why.contains("-Xss"), why);
    }

    /** Taken with a larger stack than that of the member that reads it. */
    @Test
    void aStateThatNestsTooDeepToBeReadIsRefusedWithTheRemedy() throws Exception {
        Chained chained = new Chained();
        chained.add(20_000);
        byte[] state = withStack(256L << 20, () -> states.take(keyed(Map.of("one", chained))));
        // The classes that read are initialized where the stack is deep enough.
        Chained shallow = new Chained();
        shallow.add(1);
        move(states, Map.of("one", shallow), Map.of("one", new Chained()));
        Chained restored = new Chained();
        String why = withStack(
                256L << 10,
                () -> String.valueOf(
                        assertThrows(IllegalStateException.class, () -> states.restore(state, key -> restored))
                                .getMessage()));
        assertTrue(why.contains("-Xss"), why);
        withStack(256L << 20, () -> {
            states.restore(state, key -> restored);
            return state;
        });
        assertNotNull(restored.first);
    }

    private static <T> T withStack(long bytes, Callable<T> work) throws Exception {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(null, task, "with a stack of " + bytes, bytes);
        thread.setDaemon(true);
        thread.start();
        return task.get();
    }

    @Test
    void aCodecThatNeedsTooMuchStackGivesNoState() {
        StateCodec deep = new StateCodec() {
            @Override
            public byte[] take(Object servant) {
                throw new StackOverflowError("planted");
            }

            @Override
            public void restore(Object servant, byte[] state) {
                throw new UnsupportedOperationException();
            }
        };
        ServantStates withCodec = new ServantStates(Optional.of(deep), Optional.empty(), true, Optional.empty());
        assertThrows(NoStateException.class, () -> withCodec.take(keyed(Map.of("one", new Opaque()))));
    }

    private static void move(
            ServantStates states, Map<String, ? extends Servant> from, Map<String, ? extends Servant> to)
            throws NoStateException {
        byte[] state = states.take(keyed(from));
        Map<PoaObjectKey, Servant> targets = keyed(to);
        states.restore(state, key -> Optional.ofNullable(targets.get(key)).orElseThrow());
    }

    private static Map<PoaObjectKey, Servant> keyed(Map<String, ? extends Servant> servants) {
        Map<PoaObjectKey, Servant> keyed = new LinkedHashMap<>();
        new TreeMap<>(servants)
                .forEach((key, servant) -> keyed.put(new PoaObjectKey(key.getBytes(StandardCharsets.UTF_8)), servant));
        return keyed;
    }

    /** A servant with a map, in a program that has a copy of amo-core of its own. */
    public static final class Counts extends Plain {
        private final Map<String, String> values = new HashMap<>();

        public Map<String, String> values() {
            return values;
        }
    }

    @Test
    void aProgramsOwnCopyOfAmoIsNotMistakenForAmo() throws Exception {
        try (ProgramLoader program = new ProgramLoader()) {
            Servant from = program.counts();
            values(from).put("a", "b");
            PoaObjectKey key = new PoaObjectKey(new byte[] {1});
            byte[] state = states.take(Map.of(key, from));
            Servant next = program.counts();
            states.restore(state, found -> next);
            assertEquals(Map.of("a", "b"), values(next));
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> values(Servant counts) throws ReflectiveOperationException {
        return (Map<String, String>) counts.getClass().getMethod("values").invoke(counts);
    }

    /** Has the test's servants and amo-core's collections apart from this test's. */
    private static final class ProgramLoader extends URLClassLoader {
        ProgramLoader() {
            super(
                    new URL[] {location(ServantStatesTest.class), location(KeptTables.class)},
                    ServantStatesTest.class.getClassLoader());
        }

        private static URL location(Class<?> type) {
            return type.getProtectionDomain().getCodeSource().getLocation();
        }

        Servant counts() throws ReflectiveOperationException {
            return (Servant) loadClass(Counts.class.getName()).getConstructor().newInstance();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(ServantStatesTest.class.getName()) && !name.startsWith("org.amo.core.state.")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? findClass(name) : loaded;
        }
    }
}
