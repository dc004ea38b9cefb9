package org.amo.kv;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.amo.kv.Orders.HandOver;
import org.amo.linearizable.rocksdb.LinearizableStore;
import org.amo.net.CheckedFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands tablets of a live server over to others: stops serving, copies the store into a folder, and reports it. If a move is called
 * off, the server serves the tablet on. The beat's thread owns it.
 */
final class HandOvers {
    private static final Logger LOG = LoggerFactory.getLogger(HandOvers.class);

    private final String server;
    private final Path folder;
    private final LinearizableStore store;
    private final CoordinatorClient coordinator;

    /** By number of the tablet: those that this process serves no more, as far as it knows. */
    private final Map<Integer, HandOver> begun = new TreeMap<>();

    /** Those among them whose copy is being made or reported. */
    private final Set<Integer> underWay = ConcurrentHashMap.newKeySet();

    private long tries;

    /** Copies of a former process are of no use: its tablets do not move any more. */
    HandOvers(String server, Path directory, LinearizableStore store, CoordinatorClient coordinator) {
        this.server = server;
        this.folder = directory.resolve("handed");
        this.store = store;
        this.coordinator = coordinator;
        delete(folder);
    }

    /** @param orders the answer to a beat of this thread: none is older than the one before */
    void onOrders(Orders orders) {
        Map<Integer, HandOver> ordered =
                orders.handOvers().stream().collect(Collectors.toMap(HandOver::number, Function.identity()));
        for (HandOver each : List.copyOf(begun.values())) {
            // Another epoch is another move: its copy is made anew, since calls may have come in between.
            HandOver now = ordered.get(each.number());
            if (!underWay.contains(each.number()) && (now == null || now.epoch() != each.epoch())) {
                begun.remove(each.number());
                delete(copies(each.number()));
                if (now == null && orders.owned().contains(each.range())) {
                    LOG.info("server {} serves range {} on", server, each.number());
                    CompletableFuture<Void> unused = store.takeBack(List.of(each.range()));
                }
            }
        }
        ordered.values().stream()
                .filter(each -> !each.done() && !underWay.contains(each.number()))
                .forEach(this::begin);
    }

    private void begin(HandOver handOver) {
        begun.put(handOver.number(), handOver);
        underWay.add(handOver.number());
        // A report that got lost may yet arrive, and the heir read the copy that it names: each try has a folder of its
        // own.
        Path copy = copies(handOver.number()).resolve(handOver.epoch() + "-" + ++tries);
        CompletableFuture<Void> unused = store.handOver(List.of(handOver.range()), copy)
                .thenCompose(none -> coordinator.handedOver(
                        server,
                        handOver.number(),
                        handOver.epoch(),
                        copy.toAbsolutePath().normalize().toString()))
                .handle((moves, failed) -> {
                    // The next beat tells whether to do so again.
                    underWay.remove(handOver.number());
                    if (failed != null) {
                        LOG.info(
                                "server {} did not hand range {} over: {}",
                                server,
                                handOver.number(),
                                failed.getMessage());
                    }
                    return null;
                });
    }

    private Path copies(int number) {
        return folder.resolve(Integer.toString(number));
    }

    private static void delete(Path tree) {
        try {
            CheckedFile.deleteTree(tree);
        } catch (IOException e) {
            LOG.info("cannot delete {}: {}", tree, e.getMessage());
        }
    }
}
