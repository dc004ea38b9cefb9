package org.amo.cli.wrap;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;
import org.amo.wrap.ClientInitializer;

/**
 * How to run a client of a group.
 *
 * @param members empty: those that the object reference names
 * @param deadlineMillis of each call; empty for the default
 * @param sack whether to acknowledge replies
 * @param name in the history; empty: the interceptor chooses one
 * @param firstCallSecret the file with the group's secret, with which the first call leaves as a datagram; empty: it goes over IIOP
 */
public record ClientWrap(
        List<Member> members,
        Optional<Long> deadlineMillis,
        boolean sack,
        Optional<Path> history,
        Optional<String> name,
        Optional<Path> firstCallSecret) {

    /** Switches the client's interceptor on. */
    static final String INITIALIZER =
            "org.omg.PortableInterceptor.ORBInitializerClass." + ClientInitializer.class.getName();

    public ClientWrap {
        members = List.copyOf(members);
    }

    /** One whose first call goes over IIOP. */
    public ClientWrap(
            List<Member> members,
            Optional<Long> deadlineMillis,
            boolean sack,
            Optional<Path> history,
            Optional<String> name) {
        this(members, deadlineMillis, sack, history, name, Optional.empty());
    }

    /** The user's program with the additions that make its calls survive a replica. */
    public JavaCommandLine apply(JavaCommandLine program) {
        PropertyMerge merge = new PropertyMerge(program.properties())
                .fixed(INITIALIZER, "", "wrap client")
                .fixed("amo.sack", sack ? "on" : "off", "--sack");
        if (!members.isEmpty()) {
            merge.fixed("amo.members", Member.format(members), "--members");
        }
        deadlineMillis.ifPresent(millis -> merge.fixed("amo.deadlineMillis", Long.toString(millis), "--deadline"));
        history.ifPresent(
                file -> merge.fixed("amo.history", file.toAbsolutePath().toString(), "--history"));
        name.ifPresent(text -> merge.fixed("amo.clientName", text, "the client's name"));
        firstCallSecret.ifPresent(file -> merge.fixed("amo.firstCall", "udp", "--first-call")
                .fixed("amo.secretFile", file.toAbsolutePath().toString(), "--secret-file"));
        merge.defaults(JacorbProperties.client());
        return AmoClassPath.addTo(program, merge.added());
    }
}
