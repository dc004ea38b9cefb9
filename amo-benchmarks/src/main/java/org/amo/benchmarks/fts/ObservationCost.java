package org.amo.benchmarks.fts;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.amo.benchmarks.Bench.Run;
import org.amo.benchmarks.figures.Figures;
import org.amo.benchmarks.figures.Spread;

/**
 * The processor time that a member spends on those that watch it: a scrape of its metrics each second, and ten open pages, which ask once
 * a second each. The group has no calls meanwhile, so that the difference to a turn without a watcher is that of the watchers.
 */
final class ObservationCost {
    private static final int PAGES = 10;
    private static final int WARM_UP_REQUESTS = 300;
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final Run run;
    private final Figures figures;
    private final ServerProcess member;
    private final String address;
    private final HttpClient http = HttpClient.newHttpClient();

    private enum Watchers {
        NONE,
        METRICS,
        PAGE
    }

    private ObservationCost(Run run, Figures figures, ServerProcess member) throws IOException, InterruptedException {
        this.run = run;
        this.figures = figures;
        this.member = member;
        this.address = "http://127.0.0.1:" + member.awaitReference();
    }

    /** Adds a row and two bars. */
    static void measure(Run run, Figures figures, SizingGroup group) throws IOException, InterruptedException {
        new ObservationCost(run, figures, group.servers().get(0)).measure();
    }

    private void measure() throws IOException, InterruptedException {
        for (int i = 0; i < WARM_UP_REQUESTS; i++) {
            get("/metrics", "none");
            get("/page.json", "page" + i % PAGES);
        }
        Map<Watchers, List<Double>> percent = new EnumMap<>(Watchers.class);
        for (int round = 0; round < (run.quick() ? 2 : 6); round++) {
            for (Watchers each : Watchers.values()) {
                percent.computeIfAbsent(each, watchers -> new ArrayList<>()).add(turn(each));
            }
        }
        Spread metrics = beyondNone(percent, Watchers.METRICS);
        Spread page = beyondNone(percent, Watchers.PAGE);
        figures.row(
                "watchers of a member without calls",
                Map.of("pages", PAGES),
                Map.of(
                        "percentOfOneProcessor", Spread.of(percent.getOrDefault(Watchers.NONE, List.of())),
                        "moreForMetrics", metrics,
                        "moreForPages", page));
        run.progress()
                .accept("metrics take %.2f %% of a processor, %d pages %.2f %%"
                        .formatted(metrics.median(), PAGES, page.median()));
        figures.atMost("metrics each second, % of one processor", metrics.median(), 1);
        figures.atMost(PAGES + " open pages, % of one processor", page.median(), 2);
    }

    private static Spread beyondNone(Map<Watchers, List<Double>> percent, Watchers watchers) {
        List<Double> none = percent.getOrDefault(Watchers.NONE, List.of());
        List<Double> with = percent.getOrDefault(watchers, List.of());
        List<Double> more = new ArrayList<>();
        for (int i = 0; i < Math.min(none.size(), with.size()); i++) {
            more.add(with.get(i) - none.get(i));
        }
        return Spread.of(more);
    }

    /** @return the processor time of the member, in percent of one processor */
    private double turn(Watchers watchers) throws IOException, InterruptedException {
        long nanos = TimeUnit.SECONDS.toNanos(run.quick() ? 4 : 10);
        long step = TimeUnit.SECONDS.toNanos(1) / (watchers == Watchers.PAGE ? PAGES : 1);
        double before = seconds();
        long began = System.nanoTime();
        for (int i = 0; System.nanoTime() - began < nanos; i++) {
            if (watchers == Watchers.METRICS) {
                get("/metrics", "none");
            } else if (watchers == Watchers.PAGE) {
                get("/page.json", "page" + i % PAGES);
            }
            TimeUnit.NANOSECONDS.sleep(Math.max(0, began + (i + 1) * step - System.nanoTime()));
        }
        return 100 * (seconds() - before) / ((System.nanoTime() - began) / 1e9);
    }

    /** NaN where there is no /proc: then no bar is reached. */
    private double seconds() {
        return member.cpuSeconds().orElse(Double.NaN);
    }

    private void get(String path, String viewer) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + path))
                .timeout(LONGEST)
                .header("Amo-Viewer", viewer)
                .build();
        int code = http.send(request, BodyHandlers.discarding()).statusCode();
        if (code != 200) {
            figures.violations().add(path + " was answered " + code);
        }
    }
}
