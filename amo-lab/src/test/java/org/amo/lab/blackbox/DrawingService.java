package org.amo.lab.blackbox;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.amo.lab.cluster.CounterProgram;

/** A plain Java service that gives replies that no two processes would give. Its arguments are those of {@link CounterProgram#serve}. */
public final class DrawingService {
    private DrawingService() {}

    public static void main(String[] args) throws InterruptedException {
        CounterProgram.serve(args, Draws.class, new Drawn(), builder -> {});
    }

    /** Each call draws, in a task, too. */
    public interface Draws {
        String draw();
    }

    /** Without a hash code of its own, so that the order of a hash table follows from the identity hash. */
    private static final class Key {
        private final int number;

        Key(int number) {
            this.number = number;
        }
    }

    private static final class Drawn implements Draws {
        private final List<String> drawn = new ArrayList<>();

        @Override
        public String draw() {
            Map<Key, Integer> keys = new HashMap<>();
            for (int i = 0; i < 8; i++) {
                keys.put(new Key(i), i);
            }
            String order = keys.keySet().stream()
                    .map(key -> Integer.toString(key.number))
                    .collect(Collectors.joining());
            drawn.add(UUID.randomUUID() + " " + Instant.now() + " " + new Random().nextInt() + " "
                    + ThreadLocalRandom.current().nextLong() + " "
                    + CompletableFuture.supplyAsync(UUID::randomUUID).join() + " " + order);
            return String.join("\n", drawn.subList(Math.max(0, drawn.size() - 2), drawn.size()));
        }
    }
}
