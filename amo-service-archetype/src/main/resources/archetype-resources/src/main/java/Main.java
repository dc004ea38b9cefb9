package ${package};

import java.io.UncheckedIOException;
import org.amo.core.order.OrderedLogException;
import org.amo.replication.service.AmoClient;
import org.amo.replication.service.AmoConfig;
import org.amo.replication.service.AmoException;
import org.amo.replication.service.AmoReplica;

/** A member of the group, which runs until it is ended; or a client: {@code NAME AMOUNT} adds to a counter. */
public final class Main {
    private static final int FAILED = 1;
    private static final int MISTAKE = 2;
    private static final int FAULT = 3;

    private Main() {}

    public static void main(String[] args) throws InterruptedException {
        try {
            if (args.length == 2) {
                add(args[0], Long.parseLong(args[1]));
            } else {
                serve();
            }
        } catch (IllegalArgumentException | UncheckedIOException mistake) {
            exit(MISTAKE, mistake);
        } catch (OrderedLogException why) {
            exit(why.fault() == OrderedLogException.Fault.USER ? MISTAKE : FAULT, why);
        } catch (AmoException why) {
            exit(FAILED, why);
        }
    }

    private static void serve() throws InterruptedException {
        AmoReplica member = AmoReplica.builder(AmoConfig.load())
                .service(Counters.class, new CountersInMemory())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(member::close));
        System.out.println("member " + member.id() + " serves");
        Thread.currentThread().join();
    }

    private static void add(String name, long amount) {
        try (AmoClient client = AmoClient.builder(AmoConfig.load()).build()) {
            Counters counters = client.proxy(Counters.class);
            System.out.println(name + " is " + counters.add(name, amount) + " of " + counters.all());
        }
    }

    private static void exit(int code, Exception why) {
        System.err.println(why.getMessage());
        System.exit(code);
    }
}
