package org.amo.examples.counter;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings;
import org.amo.replication.service.AmoReplica;

/**
 * One member: {@code CounterServer ID MEMBERS DATA SECRETFILE [fsync|file|memory] [HISTORY]}. Runs until it is killed. A supervisor
 * leaves it down after exit code 2, a mistake in the arguments, and starts it again after any other.
 */
final class CounterServer {
    private static final int MISTAKE = 2;
    private static final int FAULT = 3;

    private CounterServer() {}

    public static void main(String[] args) throws InterruptedException {
        if (args.length < 4) {
            System.err.println("usage: CounterServer ID MEMBERS DATA SECRETFILE [fsync|file|memory] [HISTORY]");
            System.exit(MISTAKE);
        }
        try {
            AmoReplica replica = member(args).start();
            Runtime.getRuntime().addShutdownHook(new Thread(replica::close));
            System.out.println("member " + replica.id() + " serves");
        } catch (IllegalArgumentException | UncheckedIOException mistake) {
            exit(MISTAKE, mistake);
        } catch (OrderedLogException why) {
            ended(why);
        }
        Thread.currentThread().join();
    }

    private static AmoReplica.Builder member(String[] args) {
        AmoReplica.Builder builder = AmoReplica.builder("counters")
                .id(args[0])
                .members(args[1])
                .data(Path.of(args[2]))
                .secretFile(Path.of(args[3]))
                .log(args.length > 4 ? log(args[4]) : ReplicaSettings.Log.FSYNC)
                .service(Counters.class, new CountersInMemory())
                .onEnded(CounterServer::ended);
        return args.length > 5 ? builder.history(Path.of(args[5])) : builder;
    }

    private static ReplicaSettings.Log log(String name) {
        return ReplicaSettings.Log.valueOf(name.toUpperCase(Locale.ROOT));
    }

    private static void ended(OrderedLogException why) {
        exit(why.fault() == OrderedLogException.Fault.USER ? MISTAKE : FAULT, why);
    }

    private static void exit(int code, Exception why) {
        System.err.println(why.getMessage());
        System.exit(code);
    }
}
