package org.amo.determinism.runtime;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.TimeZone;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Stand for the clocks of the JDK; outside an operation each is the JDK's. A method is named for the class and the method that
 * it replaces.
 */
@SuppressWarnings({"JavaTimeDefaultTimeZone", "JavaUtilDate", "TimeZoneUsage", "WaitNotInLoop"
}) // Just these are replaced.
public final class TimeSubstitutes {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private TimeSubstitutes() {}

    public static long systemCurrentTimeMillis() {
        MemberOperations operation = MemberOperations.running();
        return operation == null ? System.currentTimeMillis() : operation.readNanos() / NANOS_PER_MILLI;
    }

    public static long systemNanoTime() {
        MemberOperations operation = MemberOperations.running();
        return operation == null ? System.nanoTime() : operation.readNanos();
    }

    static Instant instant(MemberOperations operation) {
        return Instant.ofEpochSecond(0, operation.readNanos());
    }

    private static Clock clock() {
        return new OperationClock(Clock.systemDefaultZone());
    }

    private static Clock clock(ZoneId zone) {
        return new OperationClock(Clock.system(zone));
    }

    // ---- java.time ----

    public static Clock clockSystemUTC() {
        return new OperationClock(Clock.systemUTC());
    }

    public static Clock clockSystemDefaultZone() {
        return clock();
    }

    public static Clock clockSystem(ZoneId zone) {
        return clock(zone);
    }

    public static Clock clockTickMillis(ZoneId zone) {
        return Clock.tick(clock(zone), Duration.ofMillis(1));
    }

    public static Clock clockTickSeconds(ZoneId zone) {
        return Clock.tick(clock(zone), Duration.ofSeconds(1));
    }

    public static Clock clockTickMinutes(ZoneId zone) {
        return Clock.tick(clock(zone), Duration.ofMinutes(1));
    }

    public static InstantSource instantSourceSystem() {
        return clockSystemUTC();
    }

    public static Instant instantNow() {
        MemberOperations operation = MemberOperations.running();
        return operation == null ? Instant.now() : instant(operation);
    }

    public static LocalDate localDateNow() {
        return LocalDate.now(clock());
    }

    public static LocalDate localDateNow(ZoneId zone) {
        return LocalDate.now(clock(zone));
    }

    public static LocalTime localTimeNow() {
        return LocalTime.now(clock());
    }

    public static LocalTime localTimeNow(ZoneId zone) {
        return LocalTime.now(clock(zone));
    }

    public static LocalDateTime localDateTimeNow() {
        return LocalDateTime.now(clock());
    }

    public static LocalDateTime localDateTimeNow(ZoneId zone) {
        return LocalDateTime.now(clock(zone));
    }

    public static ZonedDateTime zonedDateTimeNow() {
        return ZonedDateTime.now(clock());
    }

    public static ZonedDateTime zonedDateTimeNow(ZoneId zone) {
        return ZonedDateTime.now(clock(zone));
    }

    public static OffsetDateTime offsetDateTimeNow() {
        return OffsetDateTime.now(clock());
    }

    public static OffsetDateTime offsetDateTimeNow(ZoneId zone) {
        return OffsetDateTime.now(clock(zone));
    }

    public static OffsetTime offsetTimeNow() {
        return OffsetTime.now(clock());
    }

    public static OffsetTime offsetTimeNow(ZoneId zone) {
        return OffsetTime.now(clock(zone));
    }

    public static Year yearNow() {
        return Year.now(clock());
    }

    public static Year yearNow(ZoneId zone) {
        return Year.now(clock(zone));
    }

    public static YearMonth yearMonthNow() {
        return YearMonth.now(clock());
    }

    public static YearMonth yearMonthNow(ZoneId zone) {
        return YearMonth.now(clock(zone));
    }

    public static MonthDay monthDayNow() {
        return MonthDay.now(clock());
    }

    public static MonthDay monthDayNow(ZoneId zone) {
        return MonthDay.now(clock(zone));
    }

    // ---- java.util ----

    public static Date dateNew() {
        return new Date(systemCurrentTimeMillis());
    }

    public static GregorianCalendar gregorianCalendarNew() {
        return now(new GregorianCalendar());
    }

    public static GregorianCalendar gregorianCalendarNew(TimeZone zone) {
        return now(new GregorianCalendar(zone));
    }

    public static GregorianCalendar gregorianCalendarNew(Locale locale) {
        return now(new GregorianCalendar(locale));
    }

    public static GregorianCalendar gregorianCalendarNew(TimeZone zone, Locale locale) {
        return now(new GregorianCalendar(zone, locale));
    }

    public static Calendar calendarGetInstance() {
        return now(Calendar.getInstance());
    }

    public static Calendar calendarGetInstance(TimeZone zone) {
        return now(Calendar.getInstance(zone));
    }

    public static Calendar calendarGetInstance(Locale locale) {
        return now(Calendar.getInstance(locale));
    }

    public static Calendar calendarGetInstance(TimeZone zone, Locale locale) {
        return now(Calendar.getInstance(zone, locale));
    }

    private static <T extends Calendar> T now(T calendar) {
        set(calendar);
        return calendar;
    }

    /** Sets a calendar that was made for the present time. */
    public static void set(Calendar calendar) {
        if (MemberOperations.isRunning()) {
            calendar.setTimeInMillis(systemCurrentTimeMillis());
        }
    }

    // ---- waiting ----

    public static void threadSleep(long millis) throws InterruptedException {
        WaitSubstitutes.runAll();
        Thread.sleep(millis);
        waited(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    public static void threadSleep(long millis, int nanos) throws InterruptedException {
        WaitSubstitutes.runAll();
        Thread.sleep(millis, nanos);
        waited(TimeUnit.MILLISECONDS.toNanos(millis) + nanos);
    }

    /** The method is in Java 19 and later. */
    public static void threadSleep(Duration duration) throws InterruptedException {
        WaitSubstitutes.runAll();
        TimeUnit.NANOSECONDS.sleep(nanos(duration));
        waited(nanos(duration));
    }

    public static void timeUnitSleep(TimeUnit unit, long time) throws InterruptedException {
        WaitSubstitutes.runAll();
        unit.sleep(time);
        waited(unit.toNanos(time));
    }

    public static void lockSupportParkNanos(long nanos) {
        WaitSubstitutes.runAll();
        LockSupport.parkNanos(nanos);
        waited(nanos);
    }

    public static void lockSupportParkNanos(Object blocker, long nanos) {
        WaitSubstitutes.runAll();
        LockSupport.parkNanos(blocker, nanos);
        waited(nanos);
    }

    public static void lockSupportParkUntil(long deadlineMillis) {
        WaitSubstitutes.runAll();
        MemberOperations operation = MemberOperations.running();
        if (operation == null) {
            LockSupport.parkUntil(deadlineMillis);
        } else {
            long nanos = nanosUntil(deadlineMillis, operation);
            LockSupport.parkNanos(nanos);
            operation.waited(nanos);
        }
    }

    public static void lockSupportParkUntil(Object blocker, long deadlineMillis) {
        WaitSubstitutes.runAll();
        MemberOperations operation = MemberOperations.running();
        if (operation == null) {
            LockSupport.parkUntil(blocker, deadlineMillis);
        } else {
            long nanos = nanosUntil(deadlineMillis, operation);
            LockSupport.parkNanos(blocker, nanos);
            operation.waited(nanos);
        }
    }

    public static void objectWait(Object monitor, long millis) throws InterruptedException {
        long began = System.nanoTime();
        monitor.wait(millis);
        waitedOut(TimeUnit.MILLISECONDS.toNanos(millis), began);
    }

    public static void objectWait(Object monitor, long millis, int nanos) throws InterruptedException {
        long began = System.nanoTime();
        monitor.wait(millis, nanos);
        waitedOut(TimeUnit.MILLISECONDS.toNanos(millis) + nanos, began);
    }

    /**
     * The clock goes on by the whole limit, or not at all: how long a wait takes that another thread ends, or by how much it exceeds its
     * limit, differs from member to member. Without a limit only a thread ends it.
     */
    private static void waitedOut(long limitNanos, long began) {
        if (limitNanos > 0 && System.nanoTime() - began >= limitNanos) {
            waited(limitNanos);
        }
    }

    /** By the clock from which the operation has the deadline: that of the machine may be far behind it. Not positive if it has passed. */
    private static long nanosUntil(long deadlineMillis, MemberOperations operation) {
        return TimeUnit.MILLISECONDS.toNanos(Math.max(0, deadlineMillis)) - operation.clock();
    }

    private static long nanos(Duration duration) {
        return TimeUnit.NANOSECONDS.convert(duration);
    }

    private static void waited(long nanos) {
        MemberOperations operation = MemberOperations.running();
        if (operation != null) {
            operation.waited(nanos);
        }
    }
}
