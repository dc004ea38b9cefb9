package org.amo.lab.attack;

import java.nio.file.Path;
import java.util.Optional;
import org.amo.examples.counter.CountersInMemory;
import org.amo.lab.cluster.CounterProgram;

/** One member of the attacked counters; its arguments are those of {@link CounterProgram#serve}. */
final class AttackedCounterServer {
    /** Names the folder of {@link Certificates}, for members that have such. */
    static final String STORES = "amo.attack.stores";

    private AttackedCounterServer() {}

    public static void main(String[] args) throws InterruptedException {
        Optional<Path> stores = Optional.ofNullable(System.getProperty(STORES)).map(Path::of);
        CounterProgram.serve(
                args,
                AttackedCounters.class,
                new InMemory(),
                builder -> stores.ifPresent(folder -> builder.memberTls(Certificates.of(folder, args[0]))));
    }

    private static final class InMemory extends CountersInMemory implements AttackedCounters {
        @Override
        public long descend() {
            return Misuse.descend(0);
        }

        @Override
        public long allocate() {
            return Misuse.allocate();
        }

        @Override
        public long fail() {
            return Misuse.fail();
        }

        @Override
        public byte[] bulk(int bytes) {
            return Misuse.bulk(bytes);
        }
    }
}
