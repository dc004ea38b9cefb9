package org.amo.replication.order.group;

import java.io.ObjectInputFilter;
import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Keeps JGroups from reading Java objects out of network input: every {@link java.io.ObjectInputStream}
 * that is made by its code refuses every class. amo sends bytes only, so nothing is lost. Streams of the application
 * are left as they are.
 *
 * <p>The launcher names it as {@code jdk.serialFilterFactory}, unless the command line names another.
 */
public final class NoGroupSerialization implements BinaryOperator<@Nullable ObjectInputFilter> {
    private static final ObjectInputFilter NOTHING = info -> ObjectInputFilter.Status.REJECTED;
    private static final StackWalker STACK = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

    /** For the JDK, which makes it by name. */
    public NoGroupSerialization() {}

    @Override
    public @Nullable ObjectInputFilter apply(@Nullable ObjectInputFilter present, @Nullable ObjectInputFilter wanted) {
        if (present == NOTHING) {
            return NOTHING;
        }
        if (STACK.walk(frames -> frames.anyMatch(NoGroupSerialization::isGroup))) {
            return NOTHING;
        }
        return wanted != null ? wanted : present;
    }

    /** The JGroups that amo runs on. A wrapped program may have another, which is none of ours. */
    private static boolean isGroup(StackFrame frame) {
        if (!frame.getClassName().startsWith("org.jgroups.")) {
            return false;
        }
        ClassLoader loader = frame.getDeclaringClass().getClassLoader();
        return System.getProperty("amo.libraries") == null || (loader != null && "amo".equals(loader.getName()));
    }
}
