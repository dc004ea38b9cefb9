package org.amo.cli;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** Describes the content of an object reference, one fact a line. */
final class ObjectReference {
    private static final int TAG_INTERNET_IOP = 0;
    private static final int TAG_MULTIPLE_COMPONENTS = 1;
    private static final String DEFAULT_PORT = "2809";

    private ObjectReference() {}

    static boolean looksLikeOne(String text) {
        String start = text.strip().toLowerCase(Locale.ROOT);
        return start.startsWith("ior:") || start.startsWith("corbaloc:");
    }

    static List<String> describe(String text) throws MalformedReferenceException {
        String reference = text.strip();
        return reference.toLowerCase(Locale.ROOT).startsWith("corbaloc:")
                ? location(reference.substring("corbaloc:".length()))
                : ior(reference);
    }

    private static List<String> ior(String text) throws MalformedReferenceException {
        CdrReader reader = new CdrReader("reference", bytes(text));
        List<String> lines = new ArrayList<>();
        String type = reader.string("type id");
        lines.add("type        " + (type.isEmpty() ? "none" : type));
        int profiles = reader.count("profiles", 8);
        if (profiles == 0) {
            lines.add("profiles    none: the nil reference");
        }
        for (int i = 1; i <= profiles; i++) {
            int tag = (int) reader.uLong("profile tag");
            profile(i, tag, reader.octets("profile"), lines);
        }
        return lines;
    }

    private static void profile(int index, int tag, byte[] data, List<String> lines)
            throws MalformedReferenceException {
        String what = "profile " + index;
        if (tag == TAG_INTERNET_IOP) {
            CdrReader reader = new CdrReader(what, data);
            int major = reader.octet("major version");
            int minor = reader.octet("minor version");
            lines.add(what + "   IIOP " + major + "." + minor + " at " + reader.string("host") + ":"
                    + reader.uShort("port"));
            lines.add("  key       " + key(reader.octets("object key")));
            if (major == 1 && minor > 0) {
                components(reader, lines);
            }
        } else if (tag == TAG_MULTIPLE_COMPONENTS) {
            lines.add(what + "   components for all profiles");
            components(new CdrReader(what, data), lines);
        } else {
            lines.add(what + "   tag " + Integer.toUnsignedString(tag) + ", " + data.length + " bytes");
        }
    }

    private static void components(CdrReader reader, List<String> lines) throws MalformedReferenceException {
        for (int i = reader.count("components", 8); i > 0; i--) {
            int tag = (int) reader.uLong("component tag");
            lines.add("  component " + Components.describe(tag, reader.octets("component")));
        }
    }

    /** {@code [iiop:][version@]host[:port],…/key} or {@code rir:/name}. */
    private static List<String> location(String text) throws MalformedReferenceException {
        int slash = text.indexOf('/');
        String addresses = slash < 0 ? text : text.substring(0, slash);
        if (addresses.isEmpty()) {
            throw new MalformedReferenceException("corbaloc: names no address");
        }
        List<String> lines = new ArrayList<>();
        lines.add("type        a corbaloc does not say");
        int index = 0;
        for (String address : addresses.split(",", -1)) {
            lines.add("address " + ++index + "   " + address(address));
        }
        lines.add("  key       " + (slash < 0 || slash == text.length() - 1 ? "none" : text.substring(slash + 1)));
        return lines;
    }

    private static String address(String text) throws MalformedReferenceException {
        if (text.equals("rir:")) {
            return "resolve_initial_references of the ORB";
        }
        int colon = text.indexOf(':');
        String protocol = colon < 0 ? "" : text.substring(0, colon);
        if (colon < 0 || !protocol.matches("[a-z]*")) {
            throw new MalformedReferenceException(
                    "corbaloc: '" + text + "' is no address; the form is iiop:1.2@host:port");
        }
        String rest = text.substring(colon + 1);
        int at = rest.indexOf('@');
        String version = at < 0 ? "1.0" : rest.substring(0, at);
        String hostPort = rest.substring(at + 1);
        int port = hostPort.lastIndexOf(':');
        boolean portGiven = port > hostPort.lastIndexOf(']');
        String host = portGiven ? hostPort.substring(0, port) : hostPort;
        String number = portGiven ? hostPort.substring(port + 1) : DEFAULT_PORT;
        if (host.isEmpty() || !number.matches("\\d{1,5}") || !version.matches("\\d\\.\\d")) {
            throw new MalformedReferenceException(
                    "corbaloc: '" + text + "' is no address; the form is iiop:1.2@host:port");
        }
        String name = protocol.isEmpty() ? "IIOP" : protocol.toUpperCase(Locale.ROOT);
        return name + " " + version + " at " + host + ":" + number + (portGiven ? "" : " (the default port)");
    }

    private static byte[] bytes(String text) throws MalformedReferenceException {
        String hex = text.length() < 4 ? "" : text.substring(4);
        if (!text.toLowerCase(Locale.ROOT).startsWith("ior:")) {
            throw new MalformedReferenceException("it begins neither with IOR: nor with corbaloc:");
        }
        try {
            return HexFormat.of().parseHex(hex);
        } catch (IllegalArgumentException e) {
            throw new MalformedReferenceException("IOR: is not followed by pairs of hexadecimal digits");
        }
    }

    /** Printable characters as they are, others as %XX. */
    private static String key(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            if (b > ' ' && b <= '~' && b != '%') {
                text.append((char) b);
            } else {
                text.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
            }
        }
        boolean plain = text.toString().equals(new String(bytes, StandardCharsets.ISO_8859_1));
        return text + " (" + bytes.length + " bytes" + (plain ? ")" : "; %XX stands for a byte that is no letter)");
    }
}
