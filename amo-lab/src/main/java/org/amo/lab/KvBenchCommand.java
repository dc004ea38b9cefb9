package org.amo.lab;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.amo.cli.CliException;
import org.amo.cli.HelpOption;
import org.amo.cli.JsonOption;
import org.amo.kv.KvAccess;
import org.amo.kv.KvClient;
import org.amo.kv.KvException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code amo kv bench}: load on a running cluster, and a check that no increment was lost or ran twice. */
@Command(
        name = "bench",
        description = "Increment counters of a running cluster by many threads; fails if one was lost or ran twice.",
        sortOptions = false)
final class KvBenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private AccessOptions access = new AccessOptions();

    @Mixin
    private KvLoadOptions options = new KvLoadOptions();

    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws InterruptedException {
        int threads = options.threads();
        json.check();
        KvAccess cluster = access.access();
        KvLoad load = new KvLoad(threads, spec.commandLine().getErr());
        long resent;
        long began;
        try (KvClient client = KvClient.open(cluster, Duration.ofSeconds(60), Duration.ofSeconds(1))) {
            // The first call opens the lease and learns where ranges are.
            client.increment("bench".getBytes(StandardCharsets.UTF_8), 0);
            began = System.nanoTime();
            load.start(client);
            load.awaitEnd(began + options.durationMillis() * 1_000_000);
            resent = client.resent();
        } catch (KvException e) {
            throw CliException.environment(String.valueOf(e.getMessage()));
        }
        report(load, (System.nanoTime() - began) / 1e9, resent);
        return load.exitCode();
    }

    private void report(KvLoad load, double seconds, long resent) {
        double perSecond = Math.round(load.calls() / seconds);
        if (!json.isStandardOutput()) {
            spec.commandLine()
                    .getOut()
                    .println(load.text() + ", " + (long) perSecond + " a second, " + resent + " copies; "
                            + load.latencyText());
        }
        ObjectNode object = new ObjectMapper().createObjectNode();
        load.writeCounts(object);
        object.put("resent", resent).put("throughputPerSecond", perSecond);
        load.writeLatency(object);
        json.write(object, spec.commandLine().getOut());
    }
}
