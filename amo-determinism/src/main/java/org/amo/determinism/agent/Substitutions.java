package org.amo.determinism.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.amo.determinism.agent.Substitution.Form;
import org.objectweb.asm.Type;

/** Every method that the agent replaces. A replacement is named for the class and the method that it replaces. */
final class Substitutions {
    private static final String RUNTIME = "org/amo/determinism/runtime/";
    private static final String TIME = RUNTIME + "TimeSubstitutes";
    private static final String RANDOM = RUNTIME + "RandomSubstitutes";
    private static final String IDENTITY = RUNTIME + "IdentitySubstitutes";
    static final String NEW = "<init>";
    private static final String ZONE = "Ljava/time/ZoneId;";
    private static final String SECURE = "java/security/SecureRandom";
    private static final String TIME_ZONE = "Ljava/util/TimeZone;";
    private static final String LOCALE = "Ljava/util/Locale;";
    private static final String CALENDAR = "Ljava/util/Calendar;";
    private static final String GREGORIAN = "java/util/GregorianCalendar";
    private static final List<String> DATES = List.of(
            "LocalDate",
            "LocalTime",
            "LocalDateTime",
            "ZonedDateTime",
            "OffsetDateTime",
            "OffsetTime",
            "Year",
            "YearMonth",
            "MonthDay");

    /** Classes that a program may extend: a static method of theirs may be called by the name of a subclass. */
    private static final Set<String> EXTENDED =
            Set.of("java/lang/Thread", "java/time/Clock", "java/util/Calendar", GREGORIAN, SECURE);

    private static final List<Substitution> ALL = all();

    private final Map<String, Substitution> methods = new HashMap<>();
    private final Map<String, String> classes = new HashMap<>();

    /** Static methods that subclasses have, too. */
    private final Set<String> inherited = new HashSet<>();

    /** Those of some kinds. */
    Substitutions(Set<Kind> kinds) {
        for (Substitution each : ALL) {
            if (kinds.contains(each.kind())) {
                methods.put(each.key(), each);
                if (each.form() == Form.STATIC && EXTENDED.contains(each.owner())) {
                    inherited.add(each.name() + each.descriptor());
                }
                if (each.form() == Form.CLASS) {
                    classes.put(each.owner(), each.replacementName());
                }
            }
        }
    }

    /** All of them. */
    static List<Substitution> list() {
        return ALL;
    }

    Optional<Substitution> of(String owner, String name, String descriptor) {
        return Optional.ofNullable(methods.get(Substitution.key(owner, name, descriptor)));
    }

    /** Whether a class of the application could have inherited a static method with this name that is replaced. */
    boolean mayInherit(String name, String descriptor) {
        return inherited.contains(name + descriptor);
    }

    /** The subclass that is made in place of a class; the class itself if there is none. */
    String classFor(String name) {
        return classes.getOrDefault(name, name);
    }

    private static List<Substitution> all() {
        List<Substitution> all = new ArrayList<>();
        times(all);
        waits(all);
        randoms(all);
        threadLocalRandoms(all);
        all.add(of(Kind.IDENTITY, "java/lang/System", "identityHashCode", "(Ljava/lang/Object;)I", Form.STATIC));
        return List.copyOf(all);
    }

    private static void times(List<Substitution> all) {
        all.add(time("java/lang/System", "currentTimeMillis", "()J"));
        all.add(time("java/lang/System", "nanoTime", "()J"));
        all.add(time("java/time/Instant", "now", "()Ljava/time/Instant;"));
        all.add(time("java/time/InstantSource", "system", "()Ljava/time/InstantSource;"));
        for (String date : DATES) {
            String type = "java/time/" + date;
            all.add(time(type, "now", "()L" + type + ";"));
            all.add(time(type, "now", "(" + ZONE + ")L" + type + ";"));
        }
        String clock = "java/time/Clock";
        all.add(time(clock, "systemUTC", "()L" + clock + ";"));
        all.add(time(clock, "systemDefaultZone", "()L" + clock + ";"));
        for (String name : List.of("system", "tickMillis", "tickSeconds", "tickMinutes")) {
            all.add(time(clock, name, "(" + ZONE + ")L" + clock + ";"));
        }
        all.add(of(Kind.TIME, "java/util/Date", NEW, "()V", Form.NUMBER));
        for (String parameters :
                List.of("()", "(" + TIME_ZONE + ")", "(" + LOCALE + ")", "(" + TIME_ZONE + LOCALE + ")")) {
            all.add(time("java/util/Calendar", "getInstance", parameters + CALENDAR));
            all.add(new Substitution(
                    Kind.TIME,
                    GREGORIAN,
                    "getInstance",
                    parameters + CALENDAR,
                    Form.STATIC,
                    TIME,
                    "calendarGetInstance"));
            all.add(of(Kind.TIME, GREGORIAN, NEW, parameters + "V", Form.CALENDAR));
        }
    }

    private static void waits(List<Substitution> all) {
        all.add(time("java/lang/Thread", "sleep", "(J)V"));
        all.add(time("java/lang/Thread", "sleep", "(JI)V"));
        all.add(time("java/lang/Thread", "sleep", "(Ljava/time/Duration;)V"));
        all.add(of(Kind.TIME, "java/util/concurrent/TimeUnit", "sleep", "(J)V", Form.INSTANCE));
        all.add(of(Kind.TIME, "java/lang/Object", "wait", "(J)V", Form.INSTANCE));
        all.add(of(Kind.TIME, "java/lang/Object", "wait", "(JI)V", Form.INSTANCE));
        for (String parameters : List.of("(J)", "(Ljava/lang/Object;J)")) {
            all.add(time("java/util/concurrent/locks/LockSupport", "parkNanos", parameters + "V"));
            all.add(time("java/util/concurrent/locks/LockSupport", "parkUntil", parameters + "V"));
        }
    }

    private static void randoms(List<Substitution> all) {
        all.add(random("java/lang/Math", "random", "()D"));
        all.add(random("java/lang/StrictMath", "random", "()D"));
        all.add(random("java/util/UUID", "randomUUID", "()Ljava/util/UUID;"));
        all.add(of(Kind.RANDOM, "java/util/SplittableRandom", NEW, "()V", Form.NUMBER));
        all.add(random("java/util/Collections", "shuffle", "(Ljava/util/List;)V"));
        all.add(random("java/util/Collections", "shuffle", "(Ljava/util/List;Ljava/util/Random;)V"));
        String generator = "java/util/random/RandomGenerator";
        all.add(random(generator, "getDefault", "()L" + generator + ";"));
        all.add(random(generator, "of", "(Ljava/lang/String;)L" + generator + ";"));
        for (String parameters : List.of("()", "(J)")) {
            all.add(made("java/util/Random", parameters, "OperationRandom"));
        }
        for (String parameters : List.of("()", "([B)", "(Ljava/security/SecureRandomSpi;Ljava/security/Provider;)")) {
            all.add(made(SECURE, parameters, "OperationSecureRandom"));
        }
        String text = "Ljava/lang/String;";
        String provider = "Ljava/security/Provider;";
        String more = "Ljava/security/SecureRandomParameters;";
        for (String parameters :
                List.of(text, text + text, text + provider, text + more, text + more + text, text + more + provider)) {
            all.add(random(SECURE, "getInstance", "(" + parameters + ")L" + SECURE + ";"));
        }
        all.add(random(SECURE, "getInstanceStrong", "()L" + SECURE + ";"));
        all.add(random(SECURE, "getSeed", "(I)[B"));
    }

    private static void threadLocalRandoms(List<Substitution> all) {
        for (String type : List.of("I Int", "J Long", "D Double", "F Float")) {
            String code = type.substring(0, 1);
            String name = type.substring(2);
            for (String parameters : List.of("", code, code + code)) {
                all.add(threadLocal("next" + name, "(" + parameters + ")" + code));
            }
            if (!name.equals("Float")) {
                String stream = "Ljava/util/stream/" + name + "Stream;";
                for (String parameters : List.of("", "J", code + code, "J" + code + code)) {
                    all.add(threadLocal(name.toLowerCase(Locale.ROOT) + "s", "(" + parameters + ")" + stream));
                }
            }
        }
        all.add(threadLocal("nextBoolean", "()Z"));
        all.add(threadLocal("nextGaussian", "()D"));
        all.add(threadLocal("nextGaussian", "(DD)D"));
        all.add(threadLocal("nextExponential", "()D"));
        all.add(threadLocal("nextBytes", "([B)V"));
    }

    private static Substitution threadLocal(String name, String descriptor) {
        return of(Kind.RANDOM, "java/util/concurrent/ThreadLocalRandom", name, descriptor, Form.INSTANCE);
    }

    private static Substitution time(String owner, String name, String descriptor) {
        return of(Kind.TIME, owner, name, descriptor, Form.STATIC);
    }

    private static Substitution random(String owner, String name, String descriptor) {
        return of(Kind.RANDOM, owner, name, descriptor, Form.STATIC);
    }

    private static Substitution made(String owner, String parameters, String replacement) {
        return new Substitution(Kind.RANDOM, owner, NEW, parameters + "V", Form.CLASS, RANDOM, RUNTIME + replacement);
    }

    private static Substitution of(Kind kind, String owner, String name, String descriptor, Form form) {
        String replacement =
                switch (kind) {
                    case TIME -> TIME;
                    case RANDOM -> RANDOM;
                    case IDENTITY -> IDENTITY;
                    case DEFAULTS -> throw new IllegalArgumentException("nothing is replaced for " + kind);
                };
        String simple = Type.getObjectType(owner).getClassName();
        simple = simple.substring(simple.lastIndexOf('.') + 1);
        String word = name.equals(NEW) ? "new" : name;
        return new Substitution(
                kind,
                owner,
                name,
                descriptor,
                form,
                replacement,
                Character.toLowerCase(simple.charAt(0))
                        + simple.substring(1)
                        + Character.toUpperCase(word.charAt(0))
                        + word.substring(1));
    }
}
