package org.amo.interceptors.server;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;

/** What {@link WrappedServants} counts with. */
class UseCountsTest {
    private static final String SERVANT = "servant";

    @Test
    void allUsersHaveTheSameWrapperAndItGoesWithTheLastOne() {
        Meetings.prove(
                () -> {
                    UseCounts<String, Object> uses = new UseCounts<>(key -> new Object());
                    return using(uses::use, uses::release, () -> uses.find(SERVANT));
                },
                () -> {
                    WithoutLock uses = new WithoutLock();
                    return using(uses::use, uses::release, uses::find);
                });
    }

    private static Meeting using(
            Function<String, Object> use, Consumer<String> release, Supplier<Optional<Object>> find) {
        Object kept = use.apply(SERVANT);
        String[] wrong = {"", ""};
        return Meeting.of(
                () -> {
                    boolean there = find.get().filter(kept::equals).isPresent();
                    release.accept(SERVANT);
                    boolean gone = find.get().isEmpty();
                    return there && gone ? wrong[0] + wrong[1] : "there while in use: " + there + ", gone: " + gone;
                },
                using(use, release, kept, wrong, 0),
                using(use, release, kept, wrong, 1));
    }

    private static Meeting.Act using(
            Function<String, Object> use, Consumer<String> release, Object kept, String[] wrong, int thread) {
        return () -> {
            for (int i = 0; i < 3; i++) {
                if (use.apply(SERVANT) != kept) {
                    wrong[thread] = "a second wrapper of a servant in use";
                }
                release.accept(SERVANT);
            }
        };
    }

    /** The same without its lock. */
    private static final class WithoutLock {
        private final Map<String, Integer> uses = new HashMap<>();
        private final Map<String, Object> values = new HashMap<>();

        Object use(String key) {
            uses.merge(key, 1, Integer::sum);
            return values.computeIfAbsent(key, absent -> new Object());
        }

        void release(String key) {
            Integer left = uses.merge(key, -1, Integer::sum);
            if (left == 0) {
                values.remove(key);
            }
        }

        Optional<Object> find() {
            return Optional.ofNullable(values.get(SERVANT));
        }
    }
}
