package org.amo.core.replica;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.amo.core.order.Member;

/**
 * How one member of a group runs. A value, checked when it is made.
 *
 * @param group the group's name: 1 to 64 letters, digits, '-', '_' or '.'
 * @param id this member's id; must be in {@code members}
 * @param members all members, in the same order everywhere
 * @param order which ordered log
 * @param log where the ordered log keeps its entries (RAFT only)
 * @param data folder for what must survive a crash; one sub-folder a member is made in it
 * @param parameters the group's parameters, if this member is to start the group
 * @param stated which of them the user stated, by property name; a group that runs with another value is an error
 * @param secret key of the group; empty only when {@code insecure} was said
 * @param history file for the events of this replica, if wanted
 * @param store where replies are kept
 */
public record ReplicaSettings(
        String group,
        String id,
        List<Member> members,
        Order order,
        Log log,
        Path data,
        GroupParameters parameters,
        Set<String> stated,
        Optional<String> secret,
        Optional<Path> history,
        Store store) {

    private static final Set<String> PARAMETERS =
            Set.of("amo.budget", "amo.retentionMillis", "amo.skewMillis", "amo.defaultDeadlineMillis");

    /** The ordered logs on offer. */
    public enum Order {
        RAFT,
        SEQUENCER
    }

    /** Where RAFT keeps its log. */
    public enum Log {
        /** On disk, forced before it is acknowledged: survives the loss of power of every member. */
        FSYNC,
        /** On disk, not forced: survives the kill of every process, not the loss of power. */
        FILE,
        /** In memory: a member that was killed cannot come back under its id. */
        MEMORY
    }

    /** Where replies are kept that clients may ask for again. */
    public enum Store {
        HEAP,
        /** Outside the heap, in a Chronicle Map, which must be on the class path. */
        CHRONICLE
    }

    public ReplicaSettings {
        if (!group.matches("[A-Za-z0-9_.-]{1,64}")) {
            throw new IllegalArgumentException(
                    "a group's name is 1 to 64 letters, digits, '-', '_' or '.': '" + group + "'");
        }
        members = List.copyOf(members);
        stated = Set.copyOf(stated);
        if (members.stream().noneMatch(member -> member.id().equals(id))) {
            throw new IllegalArgumentException(
                    "member '" + id + "' is not in --members " + Member.format(members) + "; add it or correct --id");
        }
    }

    /** With no parameter stated, whatever the group runs with being right, and replies on the heap. */
    public ReplicaSettings(
            String group,
            String id,
            List<Member> members,
            Order order,
            Log log,
            Path data,
            GroupParameters parameters,
            Optional<String> secret,
            Optional<Path> history) {
        this(group, id, members, order, log, data, parameters, Set.of(), secret, history, Store.HEAP);
    }

    /** One line for the user when the group runs with another value than was stated here. */
    public Optional<String> contradiction(GroupParameters ofGroup) {
        return new TreeSet<>(stated)
                .stream()
                        .filter(name -> value(parameters, name) != value(ofGroup, name))
                        .findFirst()
                        .map(name -> "group " + group + " was started with " + name + "="
                                + value(ofGroup, name) + ", not "
                                + value(parameters, name)
                                + "; leave the value out or give the group's (it is fixed at the group's first start)");
    }

    /** This member. */
    public Member self() {
        return members.stream()
                .filter(member -> member.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Reads the properties that {@code amo wrap server} sets: {@code amo.group}, {@code amo.id},
     * {@code amo.members}, {@code amo.order} (raft), {@code amo.log} (fsync), {@code amo.data},
     * {@code amo.budget} (bytes), {@code amo.retentionMillis}, {@code amo.skewMillis},
     * {@code amo.defaultDeadlineMillis}, {@code amo.secretFile} (read by the caller into {@code secret}),
     * {@code amo.history}, {@code amo.store} (heap).
     *
     * @param property looks a property up; null when it is not set
     */
    public static ReplicaSettings fromProperties(
            Function<String, @org.jspecify.annotations.Nullable String> property, Optional<String> secret) {
        Properties values = new Properties(property);
        GroupParameters.Builder parameters = GroupParameters.builder();
        Set<String> stated = new TreeSet<>();
        for (String name : PARAMETERS) {
            values.number(name).ifPresent(value -> {
                stated.add(name);
                set(parameters, name, value);
            });
        }
        return new ReplicaSettings(
                values.required("amo.group"),
                values.required("amo.id"),
                Member.parseList(values.required("amo.members")),
                values.choice("amo.order", Order.RAFT, Order.class),
                values.choice("amo.log", Log.FSYNC, Log.class),
                Path.of(values.text("amo.data").orElse(".amo")),
                parameters.build(),
                stated,
                secret,
                values.text("amo.history").map(Path::of),
                values.choice("amo.store", Store.HEAP, Store.class));
    }

    private static long value(GroupParameters parameters, String name) {
        return switch (name) {
            case "amo.budget" -> parameters.budgetBytes();
            case "amo.retentionMillis" -> parameters.retentionMillis();
            case "amo.skewMillis" -> parameters.skewMillis();
            case "amo.defaultDeadlineMillis" -> parameters.defaultDeadlineMillis();
            default -> throw new IllegalStateException("no parameter " + name);
        };
    }

    private static void set(GroupParameters.Builder parameters, String name, long value) {
        switch (name) {
            case "amo.budget" -> parameters.budgetBytes(value);
            case "amo.retentionMillis" -> parameters.retentionMillis(value);
            case "amo.skewMillis" -> parameters.skewMillis(value);
            case "amo.defaultDeadlineMillis" -> parameters.defaultDeadlineMillis(value);
            default -> throw new IllegalStateException("no parameter " + name);
        }
    }

    private record Properties(Function<String, @org.jspecify.annotations.Nullable String> lookup) {
        Optional<String> text(String name) {
            return Optional.ofNullable(lookup.apply(name)).filter(value -> !value.isEmpty());
        }

        String required(String name) {
            return text(name).orElseThrow(() -> new IllegalArgumentException("property " + name + " is not set"));
        }

        Optional<Long> number(String name) {
            return text(name).map(value -> {
                try {
                    return Long.valueOf(value);
                } catch (NumberFormatException e) {
                    throw new IllegalArgumentException("property " + name + " is not a number: '" + value + "'", e);
                }
            });
        }

        <E extends Enum<E>> E choice(String name, E otherwise, Class<E> type) {
            return text(name)
                    .map(value -> {
                        for (E constant : type.getEnumConstants()) {
                            if (constant.name().equalsIgnoreCase(value)) {
                                return constant;
                            }
                        }
                        throw new IllegalArgumentException("property " + name + ": '" + value + "' is none of "
                                + List.of(type.getEnumConstants()).toString().toLowerCase(java.util.Locale.ROOT));
                    })
                    .orElse(otherwise);
        }
    }
}
