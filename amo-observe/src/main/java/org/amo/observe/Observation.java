package org.amo.observe;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.amo.base.observe.Observed;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers a component to monitoring until it is closed: by JMX, by Micrometer's global registry if Micrometer is on the class path, in
 * the metrics of every observation port of this process, and at a port of its own if there are options for one. Any thread.
 */
public final class Observation implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Observation.class);
    private static final String MICROMETER = "io.micrometer.core.instrument.Metrics";

    /** All components that this process offers now. */
    private static final List<Observed> OFFERED = new CopyOnWriteArrayList<>();

    private final Observed observed;
    private final Optional<ObservationPort> port;
    private final List<Runnable> ends = new ArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    private Observation(Observed observed, Optional<ObservationPort> port) {
        this.observed = observed;
        this.port = port;
        OFFERED.add(observed);
        ends.add(JmxReadings.offer(observed));
        if (hasMicrometer()) {
            ends.add(byMicrometer(observed));
        }
    }

    /** Offers a component without a port of its own. It does not throw: no call depends on metrics. */
    public static Observation offer(Observed observed) {
        return new Observation(observed, Optional.empty());
    }

    /**
     * The same with a port if there are options, which tells also the component's status and health.
     *
     * @throws IOException in one line with the remedy when the port cannot be had; then nothing is offered
     */
    public static Observation offer(Observed observed, Optional<ObservationOptions> options) throws IOException {
        return options.isEmpty()
                ? offer(observed)
                : new Observation(
                        observed,
                        Optional.of(ObservationPort.open(options.get(), observed, () -> List.copyOf(OFFERED))));
    }

    private static boolean hasMicrometer() {
        try {
            Class.forName(MICROMETER, false, Observation.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    private static Runnable byMicrometer(Observed observed) {
        try {
            return MicrometerReadings.offer(observed);
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("no metrics by Micrometer for {} {}: {}", observed.kind(), observed.id(), e.toString());
            return () -> {};
        }
    }

    /** The port at which the component is observed; empty without one. */
    public OptionalInt port() {
        return port.map(open -> OptionalInt.of(open.port())).orElseGet(OptionalInt::empty);
    }

    /** Ends the offer. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            OFFERED.remove(observed);
            ends.forEach(Runnable::run);
            port.ifPresent(ObservationPort::close);
        }
    }
}
