package org.amo.interceptors.server;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import org.amo.base.CallPath;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.Sha256;
import org.amo.core.request.RequestId;
import org.amo.core.wire.AnswerContext;
import org.amo.core.wire.PathContext;
import org.amo.core.wire.RequestContext;
import org.amo.interceptors.client.GroupTag;
import org.omg.IOP.ServiceContext;

/**
 * The sender and the number of a request, from its service contexts.
 *
 * @param kind how much the sender knows
 * @param own amo's own context, when {@code kind} is OWN or ACKNOWLEDGEMENT
 * @param foreign the FT_REQUEST, when {@code kind} is FOREIGN
 * @param path the groups that wait for the reply
 * @param groupVersion of amo's client: the version of the group's reference that it knows
 */
record CallIdentity(
        Kind kind,
        Optional<RequestContext> own,
        Optional<FtRequest> foreign,
        CallPath path,
        OptionalLong groupVersion) {

    /** The kinds of sender. */
    enum Kind {
        /** amo's client: numbered and acknowledged. */
        OWN,
        /** amo's client, which sends acknowledgements and no call. */
        ACKNOWLEDGEMENT,
        /** Another fault tolerant CORBA client. */
        FOREIGN,
        /** A client that knows nothing of it. */
        PLAIN
    }

    /** FT_REQUEST of fault tolerant CORBA. */
    static final int FT_REQUEST = 13;

    private static final int FT_GROUP_VERSION = 12;

    private static final int FAMILY_MASK = 0xFFFF_FF00;

    /**
     * Amo's own context decides; FT_REQUEST counts where there is none.
     *
     * @throws MalformedFrameException naming the error in a context of either
     */
    static CallIdentity of(ServiceContext[] contexts) {
        CallPath path = path(contexts);
        Optional<FtRequest> foreign = Optional.empty();
        for (ServiceContext context : contexts) {
            if ((context.context_id & FAMILY_MASK) == (RequestContext.CONTEXT_ID & FAMILY_MASK)) {
                return own(context, path, groupVersion(contexts));
            }
            if (context.context_id == FT_REQUEST) {
                foreign = Optional.of(FtRequest.decode(context.context_data));
            }
        }
        return new CallIdentity(
                foreign.isPresent() ? Kind.FOREIGN : Kind.PLAIN, Optional.empty(), foreign, path, OptionalLong.empty());
    }

    private static CallPath path(ServiceContext[] contexts) {
        for (ServiceContext context : contexts) {
            if (context.context_id == PathContext.CONTEXT_ID) {
                return PathContext.decode(context.context_data);
            }
        }
        return CallPath.NONE;
    }

    private static CallIdentity own(ServiceContext context, CallPath path, OptionalLong groupVersion) {
        if (context.context_id != RequestContext.CONTEXT_ID) {
            String what = context.context_id == AnswerContext.CONTEXT_ID ? "an answer's context" : "another version";
            throw new MalformedFrameException("request context: id 0x" + Integer.toHexString(context.context_id)
                    + " is " + what + "; this member reads 0x" + Integer.toHexString(RequestContext.CONTEXT_ID));
        }
        RequestContext decoded = RequestContext.decode(context.context_data);
        Kind kind = decoded.call().isPresent() ? Kind.OWN : Kind.ACKNOWLEDGEMENT;
        return new CallIdentity(kind, Optional.of(decoded), Optional.empty(), path, groupVersion);
    }

    /** As amo's client writes it: an encapsulation of an unsigned long, the highest byte first. */
    private static OptionalLong groupVersion(ServiceContext[] contexts) {
        for (ServiceContext context : contexts) {
            byte[] data = context.context_data;
            if (context.context_id == FT_GROUP_VERSION && data.length == 8 && data[0] == 0) {
                return OptionalLong.of(ByteBuffer.wrap(data).getLong() & 0xFFFF_FFFFL);
            }
        }
        return OptionalLong.empty();
    }

    /** Whether the sender has not heard of the latest of so many changes of the group's members. */
    boolean knowsLessThan(long changes) {
        return groupVersion.isPresent() && groupVersion.getAsLong() < GroupTag.FIRST_VERSION + changes;
    }

    /** The id under which a foreign call is known to the group. */
    static RequestId foreignId(FtRequest request) {
        ByteBuffer hash = ByteBuffer.wrap(Sha256.of(request.clientId().getBytes(StandardCharsets.ISO_8859_1)));
        return new RequestId(
                RequestId.Space.FOREIGN,
                new ClientId(hash.getLong(), hash.getLong()),
                request.retentionId() & 0xFFFF_FFFFL);
    }
}
