package org.amo.core.wire;

import org.amo.base.CallPath;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;
import org.amo.base.wire.WireWriter;

/**
 * The path of a nested call beside its request (docs/wire/contexts.md): a service context of a CORBA request, or what a Java client
 * says before its request. An addition to either: a request without one has no path, and older members ignore it.
 */
public final class PathContext {
    /**
     * Id of this service context. Not one of the ids that begin with "AMO": a member of an older version refuses those that it does not
     * know.
     */
    public static final int CONTEXT_ID = 0x414D_5001;

    private static final int VERSION = 1;

    private PathContext() {}

    /** The context's bytes, for a path of at least one group. */
    public static byte[] encode(CallPath path) {
        WireWriter writer = new WireWriter(64);
        writer.u8(VERSION);
        RequestFields.writePath(writer, path);
        return writer.toBytes();
    }

    /**
     * Reads a path; NONE for one of another version, whose request is a request all the same.
     *
     * @throws MalformedFrameException naming the field that is wrong
     */
    public static CallPath decode(byte[] bytes) {
        WireReader reader = new WireReader("path context", bytes);
        if (reader.u8("version") != VERSION) {
            return CallPath.NONE;
        }
        CallPath path = RequestFields.readPath(reader);
        reader.end();
        return path;
    }
}
