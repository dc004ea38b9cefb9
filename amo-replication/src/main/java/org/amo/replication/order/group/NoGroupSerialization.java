package org.amo.replication.order.group;

import java.io.ObjectInputFilter;
import java.lang.StackWalker.Option;
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
        boolean byGroup = STACK.walk(frames ->
                frames.map(StackWalker.StackFrame::getClassName).anyMatch(name -> name.startsWith("org.jgroups.")));
        if (byGroup) {
            return NOTHING;
        }
        return wanted != null ? wanted : present;
    }
}
