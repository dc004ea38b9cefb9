package org.amo.determinism.agent;

import java.io.Serializable;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Collections;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** The class that the tests rewrite: each entry draws from one source, in one of the ways to write it. */
@SuppressWarnings({"all", "serial"})
public final class Sources {
    private static final Random EARLY = new Random();
    private static final SecureRandom EARLY_SECURE = new SecureRandom();
    private static final Clock EARLY_CLOCK = Clock.systemUTC();

    private Sources() {}

    /** The sources by name. */
    public static Map<String, Supplier<Object>> all() {
        Map<String, Supplier<Object>> all = new HashMap<>();
        all.put("currentTimeMillis", System::currentTimeMillis);
        all.put("nanoTime", () -> System.nanoTime());
        all.put("Instant.now", Instant::now);
        all.put("LocalDate.now", () -> LocalDate.now() + " " + System.nanoTime());
        all.put("LocalDateTime.now", LocalDateTime::now);
        all.put("ZonedDateTime.now(zone)", () -> ZonedDateTime.now(ZoneId.of("UTC")));
        all.put("zoned reference", () -> {
            Function<ZoneId, ZonedDateTime> now = ZonedDateTime::now;
            return now.apply(ZoneId.of("UTC"));
        });
        all.put("clock", () -> Clock.systemUTC().instant());
        all.put("early clock", () -> EARLY_CLOCK.millis() + " " + EARLY_CLOCK.instant());
        all.put("clock of its own", () -> new OwnClock().instant() + " " + System.nanoTime());
        all.put("by the name of a subclass", () -> {
            Supplier<Clock> clock = OwnClock::systemUTC;
            return OwnClock.systemUTC().instant() + " " + clock.get().instant() + " " + System.nanoTime();
        });
        all.put("new Date", () -> new Date().getTime() + " " + System.nanoTime());
        all.put("Date::new", () -> {
            Supplier<Date> now = Date::new;
            return now.get().getTime() + " " + System.nanoTime();
        });
        all.put("subclass of Date", () -> new Moment().getTime() + " " + System.nanoTime());
        all.put("Calendar", () -> Calendar.getInstance().getTimeInMillis() + " " + System.nanoTime());
        all.put(
                "GregorianCalendar",
                () -> new GregorianCalendar(TimeZone.getTimeZone("UTC")).getTimeInMillis() + " " + System.nanoTime());
        all.put("subclass of GregorianCalendar", () -> new Almanac().getTimeInMillis() + " " + System.nanoTime());
        all.put("Math.random", Math::random);
        all.put("StrictMath.random", () -> StrictMath.random());
        all.put("new Random", () -> new Random().nextInt());
        all.put("Random::new", () -> {
            Supplier<Random> maker = Random::new;
            return maker.get().nextLong();
        });
        all.put("nested", () -> new Random(new Random().nextLong()).nextLong());
        all.put("early Random", () -> EARLY.nextInt(1 << 30) + " " + EARLY.nextGaussian() + " " + EARLY.nextDouble());
        all.put("subclass of Random", () -> new Dice().roll());
        all.put("exponential", () -> ThreadLocalRandom.current().nextExponential());
        all.put("stream", () -> new Random().ints(5).boxed().toList().toString());
        all.put("SplittableRandom", () -> new SplittableRandom().nextLong());
        all.put("ThreadLocalRandom", () -> {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            return random.nextLong() + " " + random.nextInt(5, 1 << 30) + " "
                    + random.ints(3).sum();
        });
        all.put("thread-local reference", () -> {
            Supplier<Integer> next = ThreadLocalRandom.current()::nextInt;
            return next.get() + " " + next.get();
        });
        all.put("thread-local shuffle", () -> {
            List<Integer> list = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                list.add(i);
            }
            Collections.shuffle(list, ThreadLocalRandom.current());
            return list.toString();
        });
        all.put("RandomGenerator", () -> RandomGenerator.getDefault().nextLong());
        all.put("SecureRandom", () -> new SecureRandom().nextLong());
        all.put("early SecureRandom", () -> EARLY_SECURE.nextLong());
        all.put("early SecureRandom's Gaussian", () -> EARLY_SECURE.nextGaussian());
        all.put("SecureRandom.getInstance", () -> {
            try {
                return SecureRandom.getInstance("SHA1PRNG").nextLong();
            } catch (java.security.NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        });
        all.put("UUID", UUID::randomUUID);
        all.put("shuffle", () -> {
            List<Integer> list = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                list.add(i);
            }
            Collections.shuffle(list);
            return list.toString();
        });
        all.put("hashCode", () -> new Plain().hashCode());
        all.put("toString", () -> new Plain().toString());
        all.put("identityHashCode", () -> System.identityHashCode(new Plain()));
        all.put("super.hashCode", () -> new Own().hashCode());
        all.put("below a class of the JDK", () -> new Worker().hashCode());
        all.put("conditional", () -> new Random(EARLY.nextBoolean() ? new Random().nextLong() : EARLY.nextLong())
                .nextLong());
        return all;
    }

    /** The ways to start a thread or to give it a task. */
    public static Map<String, Runnable> tasks() {
        Map<String, Runnable> tasks = new HashMap<>();
        tasks.put("java.lang.Thread.start", () -> new Thread(() -> {}).start());
        tasks.put("a thread of its own class", () -> new Worker().start());
        tasks.put("a thread of that class in another place", () -> new Worker().start());
        tasks.put("java.util.Timer.schedule", () -> {
            java.util.Timer timer = new java.util.Timer(true);
            timer.schedule(
                    new java.util.TimerTask() {
                        @Override
                        public void run() {
                            timer.cancel();
                        }
                    },
                    1);
        });
        tasks.put("java.util.concurrent.ExecutorService.submit", () -> {
            java.util.concurrent.ExecutorService pool = java.util.concurrent.Executors.newSingleThreadExecutor();
            try {
                pool.submit(() -> 1);
            } finally {
                pool.shutdown();
            }
        });
        tasks.put(
                "java.util.concurrent.CompletableFuture.supplyAsync",
                () -> java.util.concurrent.CompletableFuture.supplyAsync(() -> 1)
                        .join());
        tasks.put("java.util.List.parallelStream", () -> List.of(1, 2).parallelStream()
                .count());
        tasks.put("java.util.HashSet.parallelStream", () -> new HashSet<>(List.of(1, 2))
                .parallelStream().count());
        tasks.put("java.util.concurrent.ExecutorCompletionService.submit", () -> {
            java.util.concurrent.ExecutorService pool = java.util.concurrent.Executors.newSingleThreadExecutor();
            try {
                new java.util.concurrent.ExecutorCompletionService<Integer>(pool).submit(() -> 1);
            } finally {
                pool.shutdown();
            }
        });
        tasks.put("java.util.concurrent.CompletableFuture.orTimeout", () -> new java.util.concurrent.CompletableFuture<
                        Integer>()
                .orTimeout(1, TimeUnit.MILLISECONDS)
                .exceptionally(thrown -> 1)
                .join());
        return tasks;
    }

    /** A wait for the clock. */
    public static long waitFor(long millis) {
        long end = System.currentTimeMillis() + millis;
        while (System.currentTimeMillis() < end) {
            Thread.onSpinWait();
        }
        return end;
    }

    /** A wait of another kind. */
    public static long sleep(long millis) throws InterruptedException {
        long start = System.currentTimeMillis();
        TimeUnit.MILLISECONDS.sleep(millis);
        Thread.sleep(millis);
        return System.currentTimeMillis() - start;
    }

    /** Waits by the names of two subclasses, of which one has a method of its own. */
    public static long sleepBelow(long millis) throws InterruptedException {
        long start = System.currentTimeMillis();
        Worker.sleep(millis);
        Restless.sleep(millis);
        return System.currentTimeMillis() - start;
    }

    /** The wait of the textbooks, for something that does not come. @return how often it waits */
    public static long waitGuarded(long millis) throws InterruptedException {
        Object lock = new Object();
        long end = System.currentTimeMillis() + millis;
        long waits = 0;
        synchronized (lock) {
            for (long now = end - millis; now < end && waits < 20; now = System.currentTimeMillis()) {
                if (waits % 2 == 0) {
                    lock.wait((end - now) / 2 + 1);
                } else {
                    lock.wait(end - now, 1);
                }
                waits++;
            }
        }
        return waits;
    }

    /** Waits that fail, or that another thread ends. @return the time by the clock */
    public static String waitOtherwise() throws InterruptedException {
        long start = System.currentTimeMillis();
        Object lock = new Object();
        StringBuilder all = new StringBuilder();
        try {
            lock.wait(1);
        } catch (IllegalMonitorStateException e) {
            all.append("monitor ");
        }
        synchronized (lock) {
            try {
                lock.wait(-1);
            } catch (IllegalArgumentException e) {
                all.append("negative ");
            }
            try {
                lock.wait(1, -1);
            } catch (IllegalArgumentException e) {
                all.append("negative ");
            }
            Thread.currentThread().interrupt();
            try {
                lock.wait(1);
            } catch (InterruptedException e) {
                all.append("interrupted ");
            }
            Thread other = new Thread(() -> {
                synchronized (lock) {
                    lock.notifyAll();
                }
            });
            other.start();
            lock.wait(60_000);
        }
        return all.append(System.currentTimeMillis() - start).toString();
    }

    /** A generator of a class of the application. */
    public static SecureRandom ownSecureRandom() {
        return new OwnSecureRandom();
    }

    static final class OwnSecureRandom extends SecureRandom {
        int content = 8;

        @Override
        public String toString() {
            return "own " + content;
        }
    }

    /** Draws by a seed of its own. */
    public static long seeded() {
        Random random = new Random();
        random.setSeed(42);
        return random.nextLong() + new Random(42).nextLong();
    }

    /** An object with no hash code of its own. */
    public static Object plain() {
        return new Plain();
    }

    /** One that is above and one that is below. */
    public static Object derived() {
        return new Derived();
    }

    /** One whose superclass is not Serializable. */
    public static Object belowNotSerializable() {
        return new Account();
    }

    /** Draws after a class was needed that draws when it is initialized. */
    public static String behindAnInitializer() {
        String early = Lazy.ID;
        return UUID.randomUUID() + " " + System.nanoTime() + " " + new Plain().hashCode() + " " + Math.random()
                + (early.isEmpty() ? "" : " drawn");
    }

    /** What the class has drawn. */
    public static String initialized() {
        return Lazy.ID;
    }

    /** Draws after a class could not be initialized. */
    public static String behindAFailure() {
        try {
            return Failing.ID;
        } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
            return UUID.randomUUID() + " " + System.nanoTime();
        }
    }

    static final class Lazy {
        static final String ID;

        static {
            long began = System.nanoTime();
            String id = UUID.randomUUID() + " " + new Plain().hashCode();
            for (int i = 0; i < 3; i++) {
                id += Math.random();
            }
            ID = System.nanoTime() > began ? id : "";
        }
    }

    static final class Failing {
        static final String ID = fail();

        private static String fail() {
            throw new IllegalStateException("after " + UUID.randomUUID() + System.nanoTime());
        }
    }

    static class Plain implements Serializable {
        int content = 7;
    }

    static final class Derived extends Plain {}

    abstract static class Entity {}

    abstract static class Named extends Entity {}

    static final class Account extends Named implements Stored {}

    interface Stored extends Serializable {}

    static final class Own {
        @Override
        public int hashCode() {
            return 31 * super.hashCode();
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    static final class Worker extends Thread {}

    static final class Restless extends Thread {
        public static void sleep(long millis) {}
    }

    static final class OwnClock extends Clock {
        @Override
        public ZoneId getZone() {
            return ZoneId.of("UTC");
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return systemUTC().instant();
        }
    }

    static final class Moment extends Date {
        Moment() {
            super();
        }
    }

    static final class Almanac extends GregorianCalendar {
        Almanac() {
            super();
            new GregorianCalendar();
        }
    }

    static final class Dice extends Random {
        Dice() {
            super();
        }

        @Override
        protected int next(int bits) {
            return super.next(bits) | 1;
        }

        int roll() {
            return nextInt();
        }
    }
}
