package org.amo.cli;

import java.util.HexFormat;
import java.util.Map;
import java.util.StringJoiner;
import org.amo.base.wire.MalformedFrameException;
import org.amo.interceptors.client.DatagramTag;

/** The tagged components of a profile, in words. */
final class Components {
    private static final int ORB_TYPE = 0;
    private static final int CODE_SETS = 1;
    private static final int ALTERNATE_IIOP_ADDRESS = 3;
    private static final int FT_GROUP = 27;
    private static final int FT_PRIMARY = 28;

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(ORB_TYPE, "TAG_ORB_TYPE"),
            Map.entry(CODE_SETS, "TAG_CODE_SETS"),
            Map.entry(2, "TAG_POLICIES"),
            Map.entry(ALTERNATE_IIOP_ADDRESS, "TAG_ALTERNATE_IIOP_ADDRESS"),
            Map.entry(14, "TAG_ASSOCIATION_OPTIONS"),
            Map.entry(20, "TAG_SSL_SEC_TRANS"),
            Map.entry(25, "TAG_JAVA_CODEBASE"),
            Map.entry(FT_GROUP, "TAG_FT_GROUP"),
            Map.entry(FT_PRIMARY, "TAG_FT_PRIMARY"),
            Map.entry(29, "TAG_FT_HEARTBEAT_ENABLED"),
            Map.entry(33, "TAG_CSI_SEC_MECH_LIST"),
            Map.entry(34, "TAG_NULL_TAG"),
            Map.entry(36, "TAG_TLS_SEC_TRANS"),
            Map.entry(38, "TAG_RMI_CUSTOM_MAX_STREAM_FORMAT"),
            Map.entry(39, "TAG_GROUP"),
            Map.entry(DatagramTag.TAG, "amo's datagrams"));

    private static final Map<Long, String> ORBS = Map.of(
            0x4A41_4300L, "JacORB", 0x5441_4F00L, "TAO", 0x4154_5400L, "omniORB", 0x5355_4E00L, "Sun or GlassFish");

    private static final Map<Long, String> CODE_SET_NAMES = Map.of(
            0x0001_0001L, "ISO 8859-1",
            0x0001_0020L, "ISO 646 (ASCII)",
            0x0001_0100L, "UCS-2",
            0x0001_0109L, "UTF-16",
            0x0501_0001L, "UTF-8",
            0x0001_000FL, "ISO 8859-15");

    private Components() {}

    static String describe(int tag, byte[] data) throws MalformedReferenceException {
        String name =
                NAMES.getOrDefault(tag, "component with tag") + (NAMES.containsKey(tag) ? " (" + tag + ")" : " " + tag);
        return name + ": " + value(tag, name, data);
    }

    private static String value(int tag, String name, byte[] data) throws MalformedReferenceException {
        switch (tag) {
            case ORB_TYPE -> {
                long type = new CdrReader(name, data).uLong("type");
                return ORBS.getOrDefault(type, "unknown") + " (0x"
                        + HexFormat.of().toHexDigits(type, 8) + ")";
            }
            case CODE_SETS -> {
                CdrReader reader = new CdrReader(name, data);
                return "char " + codeSets(reader) + "; wchar " + codeSets(reader);
            }
            case ALTERNATE_IIOP_ADDRESS -> {
                CdrReader reader = new CdrReader(name, data);
                return reader.string("host") + ":" + reader.uShort("port");
            }
            case FT_GROUP -> {
                CdrReader reader = new CdrReader(name, data);
                String version = reader.octet("major version") + "." + reader.octet("minor version");
                String domain = reader.string("group domain");
                long id = reader.uLongLong("group id");
                return "domain '" + domain + "', group " + Long.toUnsignedString(id) + ", version of the reference "
                        + reader.uLong("reference version") + " (format " + version + ")";
            }
            case FT_PRIMARY -> {
                return new CdrReader(name, data).octet("primary") != 0
                        ? "this profile is the primary"
                        : "not the primary";
            }
            case DatagramTag.TAG -> {
                return datagrams(data);
            }
            default -> {
                return bytes(data);
            }
        }
    }

    private static String datagrams(byte[] data) {
        try {
            return "group '" + DatagramTag.decode(data).group() + "' takes first calls as datagrams";
        } catch (MalformedFrameException ofAnotherVersion) {
            return bytes(data);
        }
    }

    private static String bytes(byte[] data) {
        return data.length + " bytes " + HexFormat.of().formatHex(data, 0, Math.min(data.length, 32))
                + (data.length > 32 ? "..." : "");
    }

    private static String codeSets(CdrReader reader) throws MalformedReferenceException {
        String own = codeSet(reader.uLong("native code set"));
        StringJoiner converts = new StringJoiner(", ", ", converts ", "").setEmptyValue("");
        for (int i = reader.count("conversion code sets", 4); i > 0; i--) {
            converts.add(codeSet(reader.uLong("conversion code set")));
        }
        return own + converts;
    }

    private static String codeSet(long id) {
        return CODE_SET_NAMES.getOrDefault(id, "0x" + HexFormat.of().toHexDigits(id, 8));
    }
}
