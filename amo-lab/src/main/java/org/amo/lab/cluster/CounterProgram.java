package org.amo.lab.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.amo.core.order.Member;
import org.amo.core.order.OrderedLogException;
import org.amo.core.replica.ReplicaSettings.Log;
import org.amo.core.replica.ReplicaSettings.Order;
import org.amo.core.replica.ReplicaSettings.Style;
import org.amo.examples.counter.Counters;
import org.amo.examples.counter.CountersInMemory;
import org.amo.replication.service.AmoReplica;

/**
 * One member of the counters, as a user's program would be, and a port at which it tells its status. Runs until it is
 * killed.
 */
public final class CounterProgram {
    /** Its group. */
    public static final String GROUP = "counters";

    /** The option of its virtual machine with which it takes calls by datagrams, too. */
    public static final String TAKES_DATAGRAMS = "-Damo.lab.udp=true";

    private CounterProgram() {}

    /**
     * The arguments of the program.
     *
     * @param history empty for none
     */
    record Settings(
            String id,
            String members,
            Path data,
            Path secretFile,
            Order order,
            Log log,
            int statusPort,
            Optional<Path> history) {

        /** The words that {@link #parse} reads. */
        List<String> words() {
            List<String> words = new ArrayList<>(List.of(
                    id,
                    members,
                    data.toString(),
                    secretFile.toString(),
                    order.name(),
                    log.name(),
                    Integer.toString(statusPort)));
            history.ifPresent(file -> words.add(file.toString()));
            return words;
        }

        static Settings parse(String[] words) {
            return new Settings(
                    words[0],
                    words[1],
                    Path.of(words[2]),
                    Path.of(words[3]),
                    Order.valueOf(words[4]),
                    Log.valueOf(words[5]),
                    Integer.parseInt(words[6]),
                    words.length > 7 ? Optional.of(Path.of(words[7])) : Optional.empty());
        }
    }

    public static void main(String[] args) throws InterruptedException {
        serve(args, Counters.class, new CountersInMemory(), builder -> {
            if (Boolean.getBoolean("amo.lab.udp")) {
                builder.udp();
            }
        });
    }

    /**
     * Serves an object as a member; returns only when it is interrupted.
     *
     * @param more further settings of the member
     */
    public static <T> void serve(String[] args, Class<T> type, T object, Consumer<AmoReplica.Builder> more)
            throws InterruptedException {
        serve(GROUP, args, type, object, more);
    }

    /** The same in another group. */
    public static <T> void serve(
            String group, String[] args, Class<T> type, T object, Consumer<AmoReplica.Builder> more)
            throws InterruptedException {
        Settings settings = Settings.parse(args);
        AmoReplica.Builder builder = AmoReplica.builder(group)
                .id(settings.id())
                .members(settings.members())
                .data(settings.data())
                .secretFile(settings.secretFile())
                .order(settings.order())
                .log(settings.log())
                .style(Style.valueOf(System.getProperty("amo.style", "active").toUpperCase(Locale.ROOT)))
                .service(type, object)
                .onEnded(CounterProgram::exit);
        settings.history().ifPresent(builder::history);
        more.accept(builder);
        try {
            AmoReplica replica = builder.start();
            String host = Member.parseList(settings.members()).stream()
                    .filter(member -> member.id().equals(settings.id()))
                    .map(Member::host)
                    .findFirst()
                    .orElseThrow();
            StatusPort.open(host, settings.statusPort(), replica::status);
        } catch (OrderedLogException why) {
            exit(why);
        }
        Thread.currentThread().join();
    }

    private static void exit(OrderedLogException why) {
        System.err.println(why.getMessage());
        System.exit(why.fault() == OrderedLogException.Fault.USER ? 2 : 3);
    }
}
