package org.amo.core.order;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A configured member of a group.
 *
 * @param id short name, unique in the group: letters, digits, '-' and '_', at most 32
 * @param host host name or address, the same for both ports
 * @param orderPort TCP port on which the members talk to each other, 1 to 65535
 * @param clientPort TCP port that clients call (IIOP), 1 to 65535
 */
public record Member(String id, String host, int orderPort, int clientPort) {

    public Member {
        if (!id.matches("[A-Za-z0-9_-]{1,32}")) {
            throw new IllegalArgumentException("a member's id is 1 to 32 letters, digits, '-' or '_': '" + id + "'");
        }
        // Lists of members and changes of members are told apart by blanks and commas.
        if (!host.matches("[^\\s,]+")) {
            throw new IllegalArgumentException(
                    "member " + id + " needs a host, a name or address without blanks and commas: '" + host + "'");
        }
        checkPort(id, orderPort);
        checkPort(id, clientPort);
    }

    /**
     * Parses {@code a=host:orderPort/clientPort,b=…}, the form of {@code --members}.
     *
     * @throws IllegalArgumentException in one line that quotes the bad part and shows the right form
     */
    public static List<Member> parseList(String text) {
        List<Member> members = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        Set<String> addresses = new HashSet<>();
        for (String part : text.split(",", -1)) {
            Member member = parse(part.strip());
            if (!ids.add(member.id)) {
                throw new IllegalArgumentException("two members have the id '" + member.id + "'; give each its own");
            }
            if (!addresses.add(member.host + ":" + member.orderPort)
                    || !addresses.add(member.host + ":" + member.clientPort)) {
                throw new IllegalArgumentException("member " + member.id + " uses an address twice: " + part.strip());
            }
            members.add(member);
        }
        return List.copyOf(members);
    }

    /** The form that {@link #parseList} reads. */
    public static String format(List<Member> members) {
        StringBuilder text = new StringBuilder();
        for (Member member : members) {
            text.append(text.length() == 0 ? "" : ",").append(member);
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return id + "=" + host + ":" + orderPort + "/" + clientPort;
    }

    private static Member parse(String part) {
        int equals = part.indexOf('=');
        int slash = part.lastIndexOf('/');
        int colon = part.lastIndexOf(':', slash < 0 ? part.length() : slash);
        if (equals < 1 || colon < equals || slash < colon) {
            throw malformed(part);
        }
        try {
            return new Member(
                    part.substring(0, equals),
                    part.substring(equals + 1, colon),
                    Integer.parseInt(part.substring(colon + 1, slash)),
                    Integer.parseInt(part.substring(slash + 1)));
        } catch (NumberFormatException e) {
            throw malformed(part);
        }
    }

    private static IllegalArgumentException malformed(String part) {
        return new IllegalArgumentException(
                "not a member: '" + part + "'; write ID=HOST:ORDERPORT/CLIENTPORT, for example a=127.0.0.1:7801/9801");
    }

    private static void checkPort(String id, int port) {
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("member " + id + ": port out of range 1 to 65535: " + port);
        }
    }
}
