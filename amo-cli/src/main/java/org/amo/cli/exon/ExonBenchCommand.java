package org.amo.cli.exon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.amo.cli.CliException;
import org.amo.cli.Durations;
import org.amo.cli.ExitCodes;
import org.amo.cli.HelpOption;
import org.amo.cli.HostPort;
import org.amo.cli.JsonOption;
import org.amo.cli.Sizes;
import org.amo.exon.udp.ExonEndpoint;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code amo exon bench}: how fast messages arrive. */
@Command(
        name = "bench",
        description = {
            "Send messages to a receiver, or to one of its own on this machine: first as many as arrive, then one at a"
                    + " time.",
            "./amo bench exon compares Exon with TCP."
        },
        sortOptions = false)
final class ExonBenchCommand implements Callable<Integer> {
    private static final long GIVE_UP_MILLIS = 30_000;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "HOST:PORT",
            converter = HostPort.Converter.class,
            description = "The address of ./amo exon recv. Default: a process of its own at 127.0.0.1.")
    private Optional<HostPort> receiver = Optional.empty();

    @Option(
            names = "--bytes",
            converter = Sizes.class,
            defaultValue = "1000B",
            paramLabel = "SIZE",
            description = "Of a message, up to 512kB. Default: ${DEFAULT-VALUE}.")
    private Long bytes = 0L;

    @Option(
            names = "--duration",
            converter = Durations.class,
            defaultValue = "10s",
            paramLabel = "TIME",
            description = "Of both parts together. Default: ${DEFAULT-VALUE}.")
    private Long durationMillis = 0L;

    @Mixin
    private ExonAccess access = new ExonAccess();

    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    final HelpOption help = new HelpOption();

    @Override
    public Integer call() throws InterruptedException {
        if (bytes > 512 << 10) {
            throw CliException.user("--bytes is at most 512kB, not " + bytes + "B");
        }
        json.check();
        if (receiver.isPresent()) {
            return measure(receiver.get());
        }
        try (OwnReceiver own = OwnReceiver.start(access)) {
            return measure(own.address());
        }
    }

    private int measure(HostPort to) throws InterruptedException {
        try (ExonEndpoint endpoint = access.connect(to)) {
            ProbeLoad load = new ProbeLoad(new ReceiverLink(endpoint, to, GIVE_UP_MILLIS), bytes.intValue());
            load.warmUp(Math.min(1_000, durationMillis / 10));
            ProbeLoad.Throughput throughput = load.manyAtOnce(durationMillis * 2 / 3);
            ProbeLoad.Latency latency = load.oneAtATime(durationMillis / 3);
            report(to, throughput, latency);
            return throughput.undelivered() == 0 ? ExitCodes.OK : ExitCodes.CHECK_FAILED;
        }
    }

    private void report(HostPort to, ProbeLoad.Throughput throughput, ProbeLoad.Latency latency) {
        double perSecond = throughput.delivered() / throughput.seconds();
        double megabytes = perSecond * bytes / 1e6;
        if (!json.isStandardOutput()) {
            spec.commandLine()
                    .getOut()
                    .println(String.format(
                            Locale.ROOT,
                            "%d messages of %d bytes to %s: %.1f MB/s, %.0f messages/s, %d undelivered; one at a time:"
                                    + " p50 %d us, p99 %d us, longest %d us",
                            throughput.delivered(),
                            bytes,
                            to,
                            megabytes,
                            perSecond,
                            throughput.undelivered(),
                            latency.p50Micros(),
                            latency.p99Micros(),
                            latency.maxMicros()));
        }
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("receiver", to.toString()).put("messageBytes", bytes).put("seconds", throughput.seconds());
        object.put("messages", throughput.delivered()).put("undelivered", throughput.undelivered());
        object.put("megabytesPerSecond", megabytes).put("messagesPerSecond", perSecond);
        object.putObject("latencyMicros")
                .put("p50", latency.p50Micros())
                .put("p99", latency.p99Micros())
                .put("max", latency.maxMicros());
        json.write(object, spec.commandLine().getOut());
    }
}
