package org.amo.lab.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.replication.FreePorts;

/** The counters as a plain Java member: those of examples/counter by {@link CounterProgram}, or a program of the caller's. */
final class CounterMember implements MemberProgram {
    private final Of of;
    private final Class<?> main;
    private final int statusPort = FreePorts.find(1).get(0);

    /** @param main takes the words that {@link CounterProgram#serve} reads */
    CounterMember(Of of, Class<?> main) {
        this.of = of;
        this.main = main;
    }

    @Override
    public List<String> words(Optional<Path> history) {
        CounterProgram.Settings settings = new CounterProgram.Settings(
                of.member().id(),
                Member.format(of.known()),
                of.place().data(),
                of.secret(),
                of.settings().order(),
                of.settings().log(),
                statusPort,
                history);
        return Programs.member(main, settings.words(), of.place().options()).words();
    }

    @Override
    public Optional<Status> ask() {
        return StatusPort.ask(of.member().host(), statusPort);
    }

    /**
     * Clients with connections need its address alone. A client without one knows no bound, and a new group refuses all timestamps up to
     * its first one and the skew.
     */
    @Override
    public boolean isReady() {
        return !of.place().options().contains(CounterProgram.TAKES_DATAGRAMS)
                || ask().filter(status -> status.number("orderedTimeMillis") > 0)
                        .filter(status -> status.number("upperMillis") < System.currentTimeMillis())
                        .isPresent();
    }
}
