package planted;

import java.io.FileWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.Socket;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collections;
import java.util.Date;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TimeZone;
import java.util.Timer;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A line with a source ends in a comment: its kind, + if the agent makes it deterministic, class and method. */
public class TillServant extends TillPOA {
    static final List<String> LOG = new ArrayList<>();
    static final AtomicLong SEQUENCE = new AtomicLong();
    static final Map<String, Integer> PRICES = Map.of("tea", 1, "milk", 2);
    static final List<String> NAMES = List.of("tea", "milk");
    static final int[] CELLS = new int[1];
    static int operations;

    private final Map<String, Long> stock = new TreeMap<>();
    private final Map<Colour, Long> byColour = new HashMap<>();
    private final Map<Colour, Long> inOrder = new EnumMap<>(Colour.class);
    private final Map<Key, Long> byKey = new HashMap<>();
    private final Map<Colour, Long> locked = Collections.synchronizedMap(new HashMap<>());
    private final Map<String, Long> sorted = new TreeMap<>(new ByChance());
    private final Set<Shade> shades = new HashSet<>();
    private final Map<String, Long> byText = new HashMap<>();
    private final Random random = new Random();
    private final Random seeded = new Random(42);
    private final PrintWriter text = new PrintWriter(new StringWriter());
    private final StringWriter memory = new StringWriter();
    private final PrintWriter audit;
    private final ExecutorService pool;
    private final Clock clock;
    private final LongSupplier ticks;
    private final Connection database;
    private final Map<String, Runnable> rules = new TreeMap<>();

    /** A servant is made before the first operation: none of this is reached. */
    public TillServant(ExecutorService pool, Clock clock, LongSupplier ticks, Connection database) throws Exception {
        this.pool = pool;
        this.clock = clock;
        this.ticks = ticks;
        this.database = database;
        this.audit = new PrintWriter(new FileWriter("audit.log"));
        new Thread(new Unused()).start();
        rules.put("watch", () -> System.nanoTime()); // clock+ TillServant.<init>
    }

    @Override
    public void clocks() {
        System.currentTimeMillis(); // clock+ TillServant.clocks
        LocalDate.now(); // clock+ TillServant.clocks
        LocalDate.now(ZoneOffset.UTC); // clock+ TillServant.clocks
        new Date(); // clock+ TillServant.clocks
        new Date(0L);
        Calendar.getInstance(); // clock+ TillServant.clocks
        Instant.ofEpochMilli(0);
        clock.millis(); // clock- TillServant.clocks
        Clock.fixed(Instant.EPOCH, ZoneOffset.UTC).millis();
        ticks.getAsLong();
    }

    @Override
    public void chance() {
        Math.random(); // random+ TillServant.chance
        new Random().nextInt(); // random+ TillServant.chance
        new Random(7).nextInt();
        random.nextInt(); // random+ TillServant.chance
        seeded.nextInt();
        ThreadLocalRandom.current().nextInt(); // random+ TillServant.chance
        new SecureRandom(); // random+ TillServant.chance
        UUID.randomUUID(); // random+ TillServant.chance
        UUID.nameUUIDFromBytes(new byte[1]);
        Collections.shuffle(new ArrayList<>(stock.keySet())); // random+ TillServant.chance
        Collections.shuffle(new ArrayList<>(stock.keySet()), new Random(7));
    }

    @Override
    public void hashes() {
        System.identityHashCode(this); // identity-hash+ TillServant.hashes
        System.identityHashCode(new Twice()); // identity-hash- TillServant.hashes
        System.identityHashCode(Colour.RED); // identity-hash- TillServant.hashes
        System.identityHashCode(stock); // identity-hash- TillServant.hashes
        new Price("tea", Colour.RED).hashCode();
        Objects.hash("tea", 1, new Pair("a", 1));
        Objects.hash("tea", new Key()); // identity-hash+ TillServant.hashes
        new Key().hashCode(); // identity-hash+ TillServant.hashes
        Colour.RED.hashCode(); // identity-hash- TillServant.hashes
        "text".hashCode();
        new Twice().hashCode();
        new Pair("a", 1).hashCode();
        String words = "key " + new Key(); // identity-hash+ TillServant.hashes
        words = "pair " + new Pair("a", 1);
    }

    @Override
    public void orders() {
        for (Colour each : byColour.keySet()) { // iteration-order- TillServant.orders
            inOrder.put(each, 1L);
        }
        for (Colour each : inOrder.keySet()) {
            byColour.get(each);
        }
        byKey.values().forEach(value -> {}); // iteration-order+ TillServant.orders
        locked.forEach((key, value) -> {}); // iteration-order- TillServant.orders
        new ArrayList<>(byColour.keySet()); // iteration-order- TillServant.orders
        sorted.put("key", 1L);
        shades.stream().count(); // iteration-order- TillServant.orders
        byText.values().forEach(value -> {});
        for (String each : PRICES.keySet()) { // iteration-order- TillServant.orders
            stock.remove(each);
        }
        NAMES.forEach(name -> {});
        Map<Object, Object> local = new IdentityHashMap<>();
        local.forEach((key, value) -> {}); // iteration-order- TillServant.orders
        Set<Class<?>> types = new HashSet<>();
        types.add(String.class);
        for (Class<?> each : types) { // iteration-order- TillServant.orders
            each.getName();
        }
    }

    @Override
    public void defaults() {
        Locale.getDefault(); // locale- TillServant.defaults
        "text".toUpperCase(); // locale- TillServant.defaults
        "text".toUpperCase(Locale.ROOT);
        "text".getBytes(); // charset- TillServant.defaults
        TimeZone.getDefault(); // time-zone- TillServant.defaults
    }

    @Override
    public void surroundings() {
        System.getenv("HOME"); // environment- TillServant.surroundings
        System.getProperty("user.name"); // environment- TillServant.surroundings
        Runtime.getRuntime().availableProcessors(); // host- TillServant.surroundings
        ProcessHandle.current(); // host- TillServant.surroundings
        String.class.getDeclaredMethods(); // reflection- TillServant.surroundings
        new WeakReference<>(this).get(); // reference- reference- TillServant.surroundings
        new Closing();
    }

    @Override
    public void threads() {
        new Thread(() -> stock.clear()).start(); // thread- TillServant.threads
        new Worker().start(); // thread- TillServant.threads
        pool.submit(stock::clear); // thread- TillServant.threads
        pool.submit(() -> System.nanoTime()); // thread- clock- TillServant.threads
        pool.execute(new Task()); // thread- TillServant.threads
        CompletableFuture.runAsync(stock::clear); // thread- TillServant.threads
        new Timer(); // timer- TillServant.threads
        CompletableFuture.completedFuture(1).orTimeout(1, TimeUnit.SECONDS); // timer- TillServant.threads
        stock.keySet().parallelStream().count(); // parallel-stream- TillServant.threads
    }

    @Override
    public void outside() {
        try {
            new FileWriter("file").close(); // file- TillServant.outside
            java.nio.file.Files.delete(java.nio.file.Path.of("file")); // file- TillServant.outside
            audit.println("outside"); // file- TillServant.outside
            text.println("in memory");
            memory.write("in memory");
            System.in.read(); // file- TillServant.outside
            new Socket("host", 1); // socket- TillServant.outside
            InetAddress.getLocalHost(); // host- TillServant.outside
            try (Statement statement = database.createStatement()) {
                statement.execute("select 1"); // jdbc- TillServant.outside
            }
            javax.mail.Transport.send(null); // mail- TillServant.outside
            new ProcessBuilder("ls").start(); // process- TillServant.outside
        } catch (Exception e) {
            System.exit(1); // exit- TillServant.outside
        }
        natively(); // native- TillServant.outside
    }

    private native void natively();

    @Override
    protected void finalize() {
        stock.clear(); // finalizer- TillServant.finalize
    }

    @Override
    public void statics() {
        operations++; // static-state- TillServant.statics
        LOG.add("statics"); // static-state- TillServant.statics
        SEQUENCE.incrementAndGet(); // static-state- TillServant.statics
        LOG.size();
        CELLS[0] = 1; // static-state- TillServant.statics
        PRICES.get("tea");
        Registry.INSTANCE.register("till"); // static-state- TillServant.statics
        Registry.instance().size();
        Registry.instance().names.add("till"); // static-state- TillServant.statics
        Locale.setDefault(Locale.ROOT); // static-state- TillServant.statics
    }

    @Override
    public void calls(Till other) {
        other._hash(10);
        _poa().the_name();
        other.clocks(); // nested-call- TillServant.calls
        other._request("clocks").invoke(); // nested-call- TillServant.calls
    }

    @Override
    public void ways(List<String> names) {
        names.forEach(name -> System.nanoTime()); // clock+ TillServant.ways
        LongSupplier reference = System::nanoTime; // clock+ TillServant.ways
        new Inner().run();
        names.sort(new ByTime());
        names.sort(Collections.reverseOrder());
        rules.get(names.get(0)).run();
        Ledger ledger = LedgerChoice.choose(names.size());
        ledger.note();
        new Constants().value();
        try {
            Class.forName("planted.Loaded").getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            names.clear();
        }
        for (Handler handler : java.util.ServiceLoader.load(Handler.class)) {
            handler.handle();
        }
    }

    private class Inner {
        void run() {
            System.nanoTime(); // clock+ TillServant$Inner.run
        }
    }

    /** No operation calls it. */
    public static void unreached() {
        System.currentTimeMillis();
        new Unreached().run();
    }
}

class Loaded {
    Loaded() {
        System.nanoTime(); // clock+ Loaded.<init>
    }
}

class Twice {
    @Override
    public int hashCode() {
        return 2 * super.hashCode(); // identity-hash+ Twice.hashCode
    }
}

class ByChance implements java.util.Comparator<String> {
    @Override
    public int compare(String one, String other) {
        return Math.random() < 0.5 ? -1 : 1; // random+ ByChance.compare
    }
}

class Unused extends Thread {
    public void run() {
        System.currentTimeMillis();
    }
}

class Latest implements java.util.Comparator<String> {
    public int compare(String one, String other) {
        return (int) System.currentTimeMillis();
    }
}

class Unreached extends Thread {
    public void run() {
        System.currentTimeMillis();
    }
}

/** As development environments write it. */
class Price {
    private final String name;
    private final Colour colour;

    Price(String name, Colour colour) {
        this.name = name;
        this.colour = colour;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Price price && price.name.equals(name) && price.colour == colour;
    }

    @Override
    public int hashCode() {
        Object[] given = {name, colour};
        int hash = Arrays.hashCode(new Object[] {name.isEmpty() ? "" : name, colour}); // identity-hash- Price.hashCode
        hash += Objects.hash(name, hash + Objects.hash(colour, name), hash); // identity-hash- Price.hashCode
        return hash + given.length + Objects.hash(name, colour); // identity-hash- Price.hashCode
    }
}

enum Colour {
    RED,
    GREEN
}

class Key {}

record Pair(String name, int number) {}

record Shade(Colour colour, int number) {}

class Worker extends Thread {
    @Override
    public void run() {
        UUID.randomUUID(); // random- Worker.run
    }
}

class Task implements Runnable {
    @Override
    public void run() {
        Math.random(); // random- Task.run
    }
}

class Closing {
    @Override
    protected void finalize() {
        System.nanoTime(); // finalizer- clock- Closing.finalize
    }
}

class ByTime implements java.util.Comparator<String> {
    @Override
    public int compare(String one, String other) {
        return (int) System.nanoTime(); // clock+ ByTime.compare
    }
}

interface Ledger {
    void note();
}

class LedgerChoice {
    static Ledger choose(int number) {
        return number == 0 ? new PlainLedger() : () -> System.nanoTime(); // clock+ LedgerChoice.choose
    }
}

abstract class BaseLedger implements Ledger {
    @Override
    public void note() {
        System.currentTimeMillis(); // clock+ BaseLedger.note
        write();
    }

    protected abstract void write();
}

class PlainLedger extends BaseLedger {
    @Override
    public void note() {
        super.note();
    }

    @Override
    protected void write() {
        Math.random(); // random+ PlainLedger.write
    }
}

class Constants {
    static final long START = System.currentTimeMillis(); // clock- Constants.<clinit>
    static final Random RANDOM = new Random(); // random+ Constants.<clinit>
    static final Map<String, Integer> TABLE = table();

    private static Map<String, Integer> table() {
        Map<String, Integer> table = new HashMap<>();
        table.put("one", 1);
        return table;
    }

    long value() {
        return START + TABLE.get("one") + RANDOM.nextInt(); // random+ Constants.value
    }
}

class Registry {
    static final Registry INSTANCE = new Registry();
    final List<String> names = new ArrayList<>();

    static Registry instance() {
        return INSTANCE;
    }

    void register(String name) {
        names.add(name);
    }

    int size() {
        return names.size();
    }
}

interface Handler {
    void handle();
}
