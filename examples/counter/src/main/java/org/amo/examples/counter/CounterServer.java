package org.amo.examples.counter;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.service.AmoReplica;

/** One member: {@code CounterServer ID MEMBERS DATA SECRETFILE [fsync|file|memory] [HISTORY]}. Runs until it is killed. */
final class CounterServer {
    private CounterServer() {}

    public static void main(String[] args) throws InterruptedException {
        if (args.length < 4) {
            System.err.println("usage: CounterServer ID MEMBERS DATA SECRETFILE [fsync|file|memory] [HISTORY]");
            System.exit(2);
        }
        AmoReplica.Builder builder = AmoReplica.builder("counters")
                .id(args[0])
                .members(args[1])
                .data(Path.of(args[2]))
                .secretFile(Path.of(args[3]))
                .log(args.length > 4 ? log(args[4]) : ReplicaSettings.Log.FSYNC)
                .service(Counters.class, new CountersInMemory())
                .onEnded(CounterServer::exit);
        if (args.length > 5) {
            builder.history(Path.of(args[5]));
        }
        try {
            AmoReplica replica = builder.start();
            Runtime.getRuntime().addShutdownHook(new Thread(replica::close));
            System.out.println("member " + replica.id() + " serves");
        } catch (OrderedLogException why) {
            exit(why);
        }
        Thread.currentThread().join();
    }

    private static ReplicaSettings.Log log(String name) {
        return ReplicaSettings.Log.valueOf(name.toUpperCase(Locale.ROOT));
    }

    private static void exit(OrderedLogException why) {
        System.err.println(why.getMessage());
        Optional<OrderedLogException.Fault> users =
                Optional.of(why.fault()).filter(fault -> fault == OrderedLogException.Fault.USER);
        System.exit(users.isPresent() ? 2 : 3);
    }
}
