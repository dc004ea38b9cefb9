package org.amo.core.request;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.amo.base.wire.Sha256;

/**
 * The party behind a request, as the member that received the request can vouch for it: the subject of a TLS client
 * certificate, else an authenticated credential, else the remote IP address. Budgets are shared between principals, so
 * that a party gains nothing by opening many client ids. It is ordered with the request: every member charges the same
 * principal.
 *
 * @param hash the first 64 bits of a SHA-256 over kind and name; 0 for {@link #UNKNOWN}
 */
public record Principal(long hash) implements Comparable<Principal> {

    private static final String OCTET = "\\d{1,2}|1\\d\\d|2[0-4]\\d|25[0-5]";

    /** All requests without a vouched sender: they share one part of each budget. */
    public static final Principal UNKNOWN = new Principal(0);

    /** The subject of a TLS client certificate, in the form of RFC 2253. */
    public static Principal subject(String distinguishedName) {
        return of("subject", distinguishedName.getBytes(StandardCharsets.UTF_8));
    }

    /** An authenticated credential, such as the name of a user. */
    public static Principal credential(String name) {
        return of("credential", name.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * A remote IP address, as in {@code InetAddress.getAddress()}. Of an IPv6 address its network of 64 bits: a host there
     * may take any address.
     */
    public static Principal address(byte[] ipAddress) {
        return of("address", ipAddress.length == 16 ? Arrays.copyOf(ipAddress, 8) : ipAddress);
    }

    /**
     * Reads {@code subject:NAME}, {@code credential:NAME} or {@code address:1.2.3.4}.
     *
     * @throws IllegalArgumentException in one line with the remedy
     */
    public static Principal parse(String text) {
        int colon = text.indexOf(':');
        String name = text.substring(colon + 1);
        String kind = text.substring(0, Math.max(0, colon));
        if (kind.equals("subject")) {
            return subject(name);
        }
        if (kind.equals("credential")) {
            return credential(name);
        }
        List<String> parts = List.of(name.split("\\.", -1));
        if (kind.equals("address") && parts.size() == 4 && parts.stream().allMatch(part -> part.matches(OCTET))) {
            byte[] address = new byte[4];
            for (int i = 0; i < 4; i++) {
                address[i] = (byte) Integer.parseInt(parts.get(i));
            }
            return address(address);
        }
        throw new IllegalArgumentException(
                "a principal is subject:NAME, credential:NAME or address:1.2.3.4, not '" + text + "'");
    }

    private static Principal of(String kind, byte[] name) {
        byte[] hash = Sha256.of(kind.getBytes(StandardCharsets.US_ASCII), new byte[] {0}, name);
        return new Principal(ByteBuffer.wrap(hash).getLong());
    }

    /** By unsigned hash. */
    @Override
    public int compareTo(Principal other) {
        return Long.compareUnsigned(hash, other.hash);
    }

    /** 16 hexadecimal digits. */
    @Override
    public String toString() {
        return HexFormat.of().toHexDigits(hash);
    }
}
