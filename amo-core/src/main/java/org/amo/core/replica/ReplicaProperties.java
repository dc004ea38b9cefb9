package org.amo.core.replica;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.amo.base.SecretRing;
import org.amo.core.order.Member;
import org.amo.core.replica.ReplicaSettings.Divergence;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Nested;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.core.replica.ReplicaSettings.RandomSource;
import org.amo.core.replica.ReplicaSettings.Store;
import org.amo.core.replica.ReplicaSettings.Style;
import org.amo.core.request.Principal;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a replica as properties.
 *
 * @param lookup looks a property up; null when it is not set
 */
record ReplicaProperties(Function<String, @Nullable String> lookup) {
    private static final Set<String> PARAMETERS = Set.of(
            "amo.budget",
            "amo.retentionMillis",
            "amo.skewMillis",
            "amo.defaultDeadlineMillis",
            "amo.maxClients",
            "amo.clientShare",
            "amo.principalShare",
            "amo.clientCallsPerSecond",
            "amo.principalCallsPerSecond");

    ReplicaSettings.Builder builder(Optional<SecretRing> secrets) {
        GroupParameters.Builder parameters = GroupParameters.builder();
        Set<String> stated = new TreeSet<>();
        for (String name : PARAMETERS) {
            number(name).ifPresent(value -> {
                stated.add(name);
                set(parameters, name, value);
            });
        }
        text("amo.weights").ifPresent(text -> weights(parameters, text));
        return ReplicaSettings.builder(
                        required("amo.group"), required("amo.id"), Member.parseList(required("amo.members")))
                .order(choice("amo.order", Order.RAFT, Order.class))
                .log(choice("amo.log", Log.FSYNC, Log.class))
                .data(Path.of(text("amo.data").orElse(".amo")))
                .parameters(parameters.build())
                .stated(stated)
                .secrets(secrets)
                .history(text("amo.history").map(Path::of))
                .store(choice("amo.store", Store.HEAP, Store.class))
                .nested(choice("amo.nested", Nested.class))
                .divergence(choice("amo.divergence", Divergence.STOP, Divergence.class))
                .style(choice("amo.style", Style.ACTIVE, Style.class))
                .random(choice("amo.random", RandomSource.class))
                .executors(text("amo.execute").map(ReplicaSettings::executorsOf).orElse(1))
                .featureLevel(
                        text("amo.featureLevel").map(FeatureLevels::boundOf).orElse(OptionalInt.empty()));
    }

    /** The value of a parameter, by its property. */
    static long value(GroupParameters parameters, String name) {
        return switch (name) {
            case "amo.budget" -> parameters.budgetBytes();
            case "amo.retentionMillis" -> parameters.retentionMillis();
            case "amo.skewMillis" -> parameters.skewMillis();
            case "amo.defaultDeadlineMillis" -> parameters.defaultDeadlineMillis();
            case "amo.maxClients" -> parameters.maxClients();
            case "amo.clientShare" -> parameters.clientShare();
            case "amo.principalShare" -> parameters.principalShare();
            case "amo.clientCallsPerSecond" -> parameters.clientCallsPerSecond();
            case "amo.principalCallsPerSecond" -> parameters.principalCallsPerSecond();
            default -> throw new IllegalStateException("no parameter " + name);
        };
    }

    private static void set(GroupParameters.Builder parameters, String name, long value) {
        switch (name) {
            case "amo.budget" -> parameters.budgetBytes(value);
            case "amo.retentionMillis" -> parameters.retentionMillis(value);
            case "amo.skewMillis" -> parameters.skewMillis(value);
            case "amo.defaultDeadlineMillis" -> parameters.defaultDeadlineMillis(value);
            case "amo.maxClients" -> parameters.maxClients(toInt(name, value));
            case "amo.clientShare" -> parameters.clientShare(toInt(name, value));
            case "amo.principalShare" -> parameters.principalShare(toInt(name, value));
            case "amo.clientCallsPerSecond" -> parameters.clientCallsPerSecond(toInt(name, value));
            case "amo.principalCallsPerSecond" -> parameters.principalCallsPerSecond(toInt(name, value));
            default -> throw new IllegalStateException("no parameter " + name);
        }
    }

    private static int toInt(String name, long value) {
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("property " + name + " is 0 to " + Integer.MAX_VALUE + ", not " + value);
        }
        return (int) value;
    }

    /** {@code PRINCIPAL=WEIGHT;PRINCIPAL=WEIGHT ...} */
    private static void weights(GroupParameters.Builder parameters, String text) {
        for (String each : text.split(";", -1)) {
            int equals = each.lastIndexOf('=');
            if (equals < 0 || !each.substring(equals + 1).matches("[1-9][0-9]{0,5}")) {
                throw new IllegalArgumentException("property amo.weights is PRINCIPAL=WEIGHT, with ';' between, such as"
                        + " subject:CN=batch=4;address:10.0.0.7=2: '" + each + "'");
            }
            parameters.weight(
                    Principal.parse(each.substring(0, equals).strip()), Integer.parseInt(each.substring(equals + 1)));
        }
    }

    private Optional<String> text(String name) {
        return Optional.ofNullable(lookup.apply(name)).filter(value -> !value.isEmpty());
    }

    private String required(String name) {
        return text(name).orElseThrow(() -> new IllegalArgumentException("property " + name + " is not set"));
    }

    private Optional<Long> number(String name) {
        return text(name).map(value -> {
            try {
                return Long.valueOf(value);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("property " + name + " is not a number: '" + value + "'", e);
            }
        });
    }

    private <E extends Enum<E>> E choice(String name, E otherwise, Class<E> type) {
        return choice(name, type).orElse(otherwise);
    }

    private <E extends Enum<E>> Optional<E> choice(String name, Class<E> type) {
        return text(name).map(value -> {
            for (E constant : type.getEnumConstants()) {
                if (constant.name().equalsIgnoreCase(value)) {
                    return constant;
                }
            }
            throw new IllegalArgumentException("property " + name + ": '" + value + "' is none of "
                    + List.of(type.getEnumConstants()).toString().toLowerCase(Locale.ROOT));
        });
    }
}
