package org.amo.interceptors.server;

import java.io.ObjectInputFilter;
import java.net.URL;
import java.security.CodeSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.amo.core.state.KeptTables;
import org.jspecify.annotations.Nullable;
import org.omg.CORBA.portable.ObjectImpl;

/**
 * Decides which classes a serialized state may hold: values and collections of the JDK, stubs of CORBA's services, classes in the same jar or
 * folder as a servant, and classes named by the property {@code amo.stateClasses} (a pattern of
 * {@code jdk.serialFilter}, for example {@code com.example.model.*;com.example.Money}). Everything else is refused,
 * when the state is taken and when it is read.
 */
final class StateFilter implements ObjectInputFilter {
    private static final List<String> VALUES = List.of("java.lang.", "java.math.", "java.time.", "java.util.");

    /** Stand for random numbers and clocks of the JDK under the agent of deterministic execution. */
    private static final String REPLACEMENTS = "org.amo.determinism.runtime.";

    /** The parts of those packages that are no values. */
    private static final List<String> NO_VALUES = List.of(
            "java.lang.invoke.",
            "java.lang.reflect.",
            "java.lang.management.",
            "java.util.logging.",
            "java.util.prefs.",
            "java.util.jar.",
            "java.util.zip.");

    /** Elements for which a byte of a stream may ask: a hash table takes up to eight places for one. */
    private static final int ELEMENTS_PER_BYTE = 8;

    private final Set<String> sources = new HashSet<>();
    private final Optional<ObjectInputFilter> named;
    private final long mostElements;
    private @Nullable Class<?> resolved;

    /**
     * @param servants their jars and folders are trusted
     * @param streamBytes size of the stream: arrays longer than it can fill are refused before memory is taken for them
     */
    StateFilter(Iterable<Object> servants, Optional<String> patterns, int streamBytes) {
        mostElements = ELEMENTS_PER_BYTE * (streamBytes + 8L);
        for (Object servant : servants) {
            source(servant.getClass()).ifPresent(sources::add);
        }
        named = patterns.map(ObjectInputFilter.Config::createFilter);
    }

    @Override
    public Status checkInput(FilterInfo info) {
        Class<?> type = info.serialClass();
        if (type == null) {
            return Status.UNDECIDED;
        }
        if (type == resolved) {
            resolved = null;
            return Status.ALLOWED;
        }
        if (info.arrayLength() > mostElements) {
            return Status.REJECTED;
        }
        if (named.isPresent() && named.get().checkInput(info) == Status.REJECTED) {
            return Status.REJECTED;
        }
        return allows(type) || (named.isPresent() && named.get().checkInput(info) == Status.ALLOWED)
                ? Status.ALLOWED
                : Status.REJECTED;
    }

    /** The stream asks next for the class of an object that does not come from it: it was made from one that was allowed. */
    void resolved(Object made) {
        resolved = made.getClass();
    }

    /** The same for a class that is about to be written. */
    boolean mayHold(Class<?> type) {
        return allows(type) || (named.isPresent() && named.get().checkInput(new OneClass(type)) == Status.ALLOWED);
    }

    private boolean allows(Class<?> type) {
        Class<?> element = type;
        while (element.isArray()) {
            element = element.getComponentType();
        }
        String name = element.getName();
        return element.isPrimitive()
                || KeptTables.CLASSES.contains(element)
                || element == KeptReference.class
                || (name.startsWith("org.omg.") && ObjectImpl.class.isAssignableFrom(element))
                || (name.startsWith(REPLACEMENTS) && element.getClassLoader() == null)
                || (VALUES.stream().anyMatch(name::startsWith)
                        && NO_VALUES.stream().noneMatch(name::startsWith)
                        && element.getClassLoader() == null)
                || source(element).filter(sources::contains).isPresent();
    }

    private static Optional<String> source(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        URL location = source == null ? null : source.getLocation();
        return Optional.ofNullable(location).map(URL::toString);
    }

    private record OneClass(Class<?> serialClass) implements FilterInfo {
        @Override
        public long arrayLength() {
            return -1;
        }

        @Override
        public long depth() {
            return 1;
        }

        @Override
        public long references() {
            return 1;
        }

        @Override
        public long streamBytes() {
            return 0;
        }
    }
}
