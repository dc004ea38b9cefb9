package org.amo.interceptors.client;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.amo.base.SecretRing;
import org.amo.core.client.AttemptedCall;
import org.amo.interceptors.jacorb.MemberAddress;

/**
 * The user's settings of the client side. All have a default.
 *
 * @param deadlineMillis how long a call may take, redirects included
 * @param attemptMillis how long one member may take before another is asked for the same call
 * @param sack whether finished calls are told to the group
 * @param pathMayRepeat whether something between client and members may deliver a request again
 * @param history where to write the begin and end of each call
 * @param clientName the client's name in the history; empty for the beginning of the client's id
 * @param members the group of references that do not say so themselves; empty for none
 * @param firstMember index or id of the member to begin with; empty for one that the client's id chooses
 * @param firstCallByDatagram whether the first call to a group leaves as one datagram, where the group takes them
 * @param secret the group's, with which datagrams are sealed; empty for none
 */
record ClientSettings(
        long deadlineMillis,
        long attemptMillis,
        boolean sack,
        boolean pathMayRepeat,
        Optional<Path> history,
        Optional<String> clientName,
        List<NamedMember> members,
        Optional<String> firstMember,
        boolean firstCallByDatagram,
        Optional<String> secret) {

    /** One member as {@code --members} names it. */
    record NamedMember(String id, MemberAddress address) {}

    /** A minute, as the design says; {@code amo demo} sets ten seconds, as the paper does. */
    private static final long DEADLINE_MILLIS = 60_000;

    /**
     * @param property gives a property's value
     * @throws IllegalArgumentException naming the property and the remedy
     */
    static ClientSettings read(Function<String, Optional<String>> property) {
        boolean byDatagram = oneOf(property, "amo.firstCall", "iiop", "udp").equals("udp");
        return new ClientSettings(
                millis(property, "amo.deadlineMillis", DEADLINE_MILLIS),
                millis(property, "amo.attemptMillis", AttemptedCall.ATTEMPT_MILLIS),
                onOff(property, "amo.sack", "on"),
                onOff(property, "amo.pathMayRepeat", "off"),
                property.apply("amo.history").filter(text -> !text.isEmpty()).map(Path::of),
                property.apply("amo.clientName").filter(text -> !text.isEmpty()),
                members(property.apply("amo.members").orElse("")),
                property.apply("amo.firstMember").filter(text -> !text.isEmpty()),
                byDatagram,
                // Other clients need none, and may not be able to read it.
                property.apply("amo.secretFile")
                        .filter(text -> byDatagram && !text.isEmpty())
                        .map(ClientSettings::secret));
    }

    /** Those of the nested calls of a replicated server. */
    static ClientSettings nested(long deadlineMillis) {
        return new ClientSettings(
                deadlineMillis,
                AttemptedCall.ATTEMPT_MILLIS,
                true,
                false,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                false,
                Optional.empty());
    }

    private static long millis(Function<String, Optional<String>> property, String name, long otherwise) {
        Optional<String> text = property.apply(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            long value = Long.parseLong(text.get());
            if (value >= 1) {
                return value;
            }
        } catch (NumberFormatException notANumber) {
            // Said below.
        }
        throw new IllegalArgumentException(name + "=" + text.get() + ": write a number of milliseconds above 0");
    }

    private static boolean onOff(Function<String, Optional<String>> property, String name, String otherwise) {
        return oneOf(property, name, otherwise, otherwise.equals("on") ? "off" : "on")
                .equals("on");
    }

    private static String oneOf(
            Function<String, Optional<String>> property, String name, String otherwise, String other) {
        String text = property.apply(name).orElse(otherwise).toLowerCase(Locale.ROOT);
        if (!text.equals(otherwise) && !text.equals(other)) {
            throw new IllegalArgumentException(name + "=" + text + ": write " + otherwise + " or " + other);
        }
        return text;
    }

    private static String secret(String file) {
        try {
            return SecretRing.ofFile(Path.of(file)).first();
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "amo.secretFile: cannot read " + file + " (" + e + "); name the file with the group's secret", e);
        }
    }

    /** {@code id=host:orderPort/clientPort} or {@code id=host:clientPort}, with commas. */
    private static List<NamedMember> members(String text) {
        List<NamedMember> members = new ArrayList<>();
        for (String member : text.split(",", -1)) {
            if (!member.isBlank()) {
                members.add(member(member.trim()));
            }
        }
        return List.copyOf(members);
    }

    private static NamedMember member(String text) {
        int equals = text.indexOf('=');
        int colon = text.lastIndexOf(':');
        int slash = text.lastIndexOf('/');
        if (equals > 0 && colon > equals + 1) {
            try {
                int port = Integer.parseInt(text.substring(Math.max(colon, slash) + 1));
                if (port >= 1 && port <= 65_535) {
                    return new NamedMember(
                            text.substring(0, equals), Addresses.numeric(text.substring(equals + 1, colon), port));
                }
            } catch (NumberFormatException notAPort) {
                // Said below.
            }
        }
        throw new IllegalArgumentException(
                "amo.members: '" + text + "' is no member, write ID=HOST:ORDERPORT/CLIENTPORT");
    }
}
