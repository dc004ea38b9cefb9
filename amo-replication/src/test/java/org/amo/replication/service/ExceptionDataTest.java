package org.amo.replication.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.amo.base.wire.MalformedFrameException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Exceptions that a method declares arrive with their fields. */
@Timeout(60)
final class ExceptionDataTest {
    record Booking(long amount, LocalDate day) {}

    /** The usual form: the constructor makes the message. */
    public static class Rejected extends Exception {
        private static final long serialVersionUID = 1L;

        private final String account;
        private final long missing;

        public Rejected(String account, long missing) {
            super(account + " lacks " + missing);
            this.account = account;
            this.missing = missing;
        }
    }

    /** With data of its own, which comes first in its constructor. */
    public static final class RejectedTwice extends Rejected {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial")
        private final List<Booking> open;

        public RejectedTwice(List<Booking> open, String account, long missing) {
            super(account, missing);
            this.open = List.copyOf(open);
        }
    }

    /** Only a field that its constructor does not know tells more than the message. */
    public static final class Locked extends Exception {
        private static final long serialVersionUID = 1L;

        private final int[] codes;
        private final transient StringBuilder notes = new StringBuilder("new");

        @SuppressWarnings("serial")
        private Map<String, String> details = Map.of();

        public Locked(String message) {
            this(message, new int[0]);
        }

        private Locked(String message, int[] codes) {
            super(message);
            this.codes = codes;
        }
    }

    /** Below a declared class, with data that cannot be carried. */
    public static final class Odd extends Rejected {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("UnusedVariable") // is to be carried
        private final transient Thread left = Thread.currentThread();

        @SuppressWarnings({"UnusedVariable", "serial"}) // is to be carried
        private final Object any;

        public Odd(String account, long missing, Object any) {
            super(account, missing);
            this.any = any;
        }
    }

    /** The parameter of its only public constructor is of the type of its field, and is its message. */
    public static final class Coded extends Exception {
        private static final long serialVersionUID = 1L;

        private String code = "";

        public Coded(String message) {
            super(message);
        }

        private Coded(String message, String code) {
            super(message);
            this.code = code;
        }
    }

    interface Vault {
        void take(String what) throws Rejected, Locked, Coded;

        @ReadOnly
        long look(String what) throws Rejected;

        void undeclared(String account);
    }

    interface VaultLater {
        CompletionStage<Void> take(String what) throws Rejected, Locked;

        CompletionStage<Long> look(String what);
    }

    static final class VaultInMemory implements Vault {
        private int taken;

        @Override
        public void take(String what) throws Rejected, Locked, Coded {
            taken++;
            switch (what) {
                case "rejected" -> throw new Rejected("a", 7);
                case "twice" -> throw new RejectedTwice(List.of(new Booking(3, LocalDate.of(2026, 1, 2))), "b", 8);
                case "coded" -> throw new Coded("the message", "C7");
                case "unchecked" -> throw new Unchecked("h");
                case "odd" -> throw new Odd("c", 9, "object");
                case "locked" -> {
                    Locked locked = new Locked("by code", new int[] {4, 2});
                    locked.details = new HashMap<>(Map.of("x", "1", "y", "2", "z", "3"));
                    throw locked;
                }
                default -> taken += 10;
            }
        }

        @Override
        public long look(String what) throws Rejected {
            throw new Rejected(what, taken);
        }

        @Override
        public void undeclared(String account) {
            throw new Unchecked(account);
        }
    }

    public static final class Unchecked extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("UnusedVariable") // is not to be carried
        private final String account;

        public Unchecked(String account) {
            super("unchecked");
            this.account = account;
        }
    }

    private static EmbeddedGroup group;
    private static Vault vault;

    @BeforeAll
    static void start() {
        group = EmbeddedGroup.of(3, Vault.class, VaultInMemory::new);
        vault = group.client().proxy(Vault.class);
    }

    @AfterAll
    static void end() {
        group.close();
    }

    @Test
    void theFieldsOfADeclaredExceptionArrive() {
        Rejected rejected = assertThrows(Rejected.class, () -> vault.take("rejected"));
        assertEquals("a lacks 7", rejected.getMessage());
        assertEquals("a", rejected.account);
        assertEquals(7, rejected.missing);
        assertInstanceOf(AmoServiceException.class, rejected.getSuppressed()[0]);
    }

    @Test
    void aClassBelowADeclaredOneArrivesWithTheFieldsOfBoth() {
        RejectedTwice twice = assertThrows(RejectedTwice.class, () -> vault.take("twice"));
        assertEquals("b lacks 8", twice.getMessage());
        assertEquals(8, ((Rejected) twice).missing);
        assertEquals(List.of(new Booking(3, LocalDate.of(2026, 1, 2))), twice.open);
    }

    @Test
    void aFieldThatNoConstructorTakesIsSetAndATransientOneIsNot() {
        Locked locked = assertThrows(Locked.class, () -> vault.take("locked"));
        assertEquals("by code", locked.getMessage());
        assertArrayEquals(new int[] {4, 2}, locked.codes);
        assertEquals(Map.of("x", "1", "y", "2", "z", "3"), locked.details);
        assertEquals("new", locked.notes.toString());
    }

    @Test
    void ofSeveralWaysToMakeItTheOneWithTheMessageIsTaken() {
        Coded coded = assertThrows(Coded.class, () -> vault.take("coded"));
        assertEquals("the message", coded.getMessage());
        assertEquals("C7", coded.code);
    }

    @Test
    void aClassWhoseDataCannotBeCarriedArrivesAsTheDeclaredOneAboveItWithItsData() {
        Rejected rejected = assertThrows(Rejected.class, () -> vault.take("odd"));
        assertEquals(Rejected.class, rejected.getClass());
        assertEquals(9, rejected.missing);
        AmoServiceException thrown = assertInstanceOf(AmoServiceException.class, rejected.getSuppressed()[0]);
        assertEquals(Odd.class.getName(), thrown.type());
    }

    @Test
    void readsAndStagesHaveItToo() {
        assertEquals("e", assertThrows(Rejected.class, () -> vault.look("e")).account);
        VaultLater later = group.client().proxy(VaultLater.class);
        CompletionException why = assertThrows(
                CompletionException.class,
                () -> later.take("rejected").toCompletableFuture().join());
        assertEquals(7, assertInstanceOf(Rejected.class, why.getCause()).missing);
        // The stage's method declares nothing.
        CompletionException plain = assertThrows(
                CompletionException.class,
                () -> later.look("f").toCompletableFuture().join());
        assertEquals(
                Rejected.class.getName(),
                assertInstanceOf(AmoServiceException.class, plain.getCause()).type());
    }

    @Test
    void anUndeclaredExceptionHasNoDataInItsReply() {
        AmoServiceException why = assertThrows(AmoServiceException.class, () -> vault.undeclared("g"));
        assertTrue(why.data(Unchecked.class.getName()).isEmpty());
        AmoServiceException beside = assertThrows(AmoServiceException.class, () -> vault.take("unchecked"));
        assertTrue(beside.data(Unchecked.class.getName()).isEmpty());
    }

    @Test
    void allMembersGiveTheSameReplies() {
        for (String what : List.of("rejected", "twice", "odd", "locked")) {
            assertThrows(Exception.class, () -> vault.take(what));
        }
        assertTrue(group.awaitAgreement(Duration.ofSeconds(10)));
    }

    private static byte[] reply(boolean readsData) throws NoSuchMethodException {
        TypedService service = new TypedService(MethodTable.ofService(Vault.class), new VaultInMemory());
        byte[] request = MethodTable.request(
                new MethodTable(readsData ? Vault.class : OlderVault.class)
                        .of((readsData ? Vault.class : OlderVault.class).getMethod("take", String.class)),
                new Object[] {"rejected"});
        return service.thrown(request, new Rejected("a", 7));
    }

    /** A client of before does not read data. */
    interface OlderVault {
        void take(String what);
    }

    @Test
    void aClientThatReadsNoDataGetsTheReplyOfBefore() throws NoSuchMethodException {
        assertArrayEquals(Payloads.thrown(new Rejected("a", 7)), reply(false));
        assertEquals(3, reply(true)[0]);
    }

    @Test
    void aDamagedReplyIsMalformedOrHasNoData() throws Exception {
        byte[] reply = reply(true);
        for (int i = 0; i < reply.length; i++) {
            byte[] shorter = Arrays.copyOf(reply, i);
            assertThrows(MalformedFrameException.class, () -> Payloads.open(shorter));
        }
        AmoServiceException whole = assertThrows(AmoServiceException.class, () -> Payloads.open(reply));
        ExceptionFields.Written data = whole.data(Rejected.class.getName()).orElseThrow();
        for (int i = 0; i < data.bytes().length; i++) {
            AmoServiceException damaged = new AmoServiceException(
                    whole.type(),
                    whole.serviceMessage(),
                    List.of(),
                    Map.of(whole.type(), new ExceptionFields.Written(data.schema(), Arrays.copyOf(data.bytes(), i))));
            assertTrue(DeclaredExceptions.of(Vault.class.getMethod("take", String.class), damaged)
                    .isEmpty());
        }
        AmoServiceException others = new AmoServiceException(
                whole.type(),
                whole.serviceMessage(),
                List.of(),
                Map.of(whole.type(), new ExceptionFields.Written(data.schema() + 1, data.bytes())));
        assertTrue(DeclaredExceptions.of(Vault.class.getMethod("take", String.class), others)
                .isEmpty());
    }

    /** Its constructor could make it, and its fields would have values that the service did not give them. */
    @Test
    void withoutItsDataAnExceptionIsNotMade() throws NoSuchMethodException {
        AmoServiceException without =
                new AmoServiceException(Locked.class.getName(), "locked", List.of(Exception.class.getName()), Map.of());
        assertTrue(DeclaredExceptions.of(Vault.class.getMethod("take", String.class), without)
                .isEmpty());
    }

    public static final class WithThread extends Exception {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings({"UnusedVariable", "serial"}) // is to be refused
        private final Thread thread;

        public WithThread(String message) {
            super(message);
            thread = Thread.currentThread();
        }
    }

    public static final class WithoutConstructor extends Exception {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("UnusedVariable") // is to be named
        private final String account;

        WithoutConstructor(String account) {
            super(account);
            this.account = account;
        }
    }

    interface Threads {
        void run() throws WithThread;
    }

    interface Accounts {
        void run() throws WithoutConstructor;
    }

    @Test
    void anExceptionWhoseDataCannotArriveIsRefusedAtTheStart() {
        List<String> whys = new ArrayList<>();
        for (Class<?> type : List.of(Threads.class, Accounts.class)) {
            whys.add(assertThrows(IllegalArgumentException.class, () -> MethodTable.ofService(type))
                    .getMessage());
        }
        assertTrue(
                whys.get(0).startsWith("Threads.run declares " + WithThread.class.getName() + ", whose data"),
                whys::toString);
        assertTrue(
                whys.get(0).contains("WithThread.thread: amo does not carry the type java.lang.Thread"),
                whys::toString);
        assertTrue(
                whys.get(1).endsWith("give it a public constructor (String), or one with its fields: account"),
                whys::toString);
        assertTrue(
                Stream.of(whys.get(0), whys.get(1)).allMatch(why -> why.lines().count() == 1));
    }

    @Test
    void dataThatIsLongerThanAReplyIsLeftOut() {
        Rejected rejected = new Rejected("a", 7);
        byte[] whole = Payloads.thrownWithData(rejected, Integer.MAX_VALUE);
        assertArrayEquals(whole, Payloads.thrownWithData(rejected, whole.length));
        assertArrayEquals(Payloads.thrown(rejected), Payloads.thrownWithData(rejected, whole.length - 1));
    }
}
