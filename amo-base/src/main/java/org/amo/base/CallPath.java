package org.amo.base;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The groups whose operations wait for a request: each made a nested call, of which the next one's operation is a part. A call back into
 * one of them can never run before its caller ends, since a group runs one operation at a time.
 *
 * @param groups their names, outermost first; at most {@value #MAX_GROUPS} with {@value #MAX_BYTES} bytes of UTF-8 together
 */
public record CallPath(List<String> groups) {
    /** Most groups of a path. */
    public static final int MAX_GROUPS = 16;

    /** Most bytes of all names together. */
    public static final int MAX_BYTES = 1_024;

    /** No operation waits: the path of an ordinary request. */
    public static final CallPath NONE = new CallPath(List.of());

    public CallPath {
        groups = List.copyOf(groups);
        if (!fits(groups)) {
            throw new IllegalArgumentException("a path has at most " + MAX_GROUPS + " groups with names of 1 to "
                    + MAX_BYTES + " bytes together: " + groups);
        }
    }

    private static boolean fits(List<String> groups) {
        return groups.size() <= MAX_GROUPS && bytes(groups) <= MAX_BYTES && !groups.contains("");
    }

    private static int bytes(List<String> groups) {
        int sum = 0;
        for (String group : groups) {
            sum += group.getBytes(StandardCharsets.UTF_8).length;
        }
        return sum;
    }

    public boolean isEmpty() {
        return groups.isEmpty();
    }

    /** The path of a call that an operation of this group makes; empty if it would be too long. */
    public Optional<CallPath> through(String group) {
        List<String> longer = new ArrayList<>(groups);
        longer.add(group);
        return fits(longer) ? Optional.of(new CallPath(longer)) : Optional.empty();
    }

    /** The way of a call back into a group of this path: {@code bank -> audit -> bank}. */
    public String cycle(String group) {
        int from = Math.max(0, groups.lastIndexOf(group));
        return String.join(" -> ", groups.subList(from, groups.size())) + " -> " + group;
    }

    @Override
    public String toString() {
        return String.join(" -> ", groups);
    }
}
