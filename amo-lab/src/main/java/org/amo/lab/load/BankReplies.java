package org.amo.lab.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import org.amo.base.wire.MalformedFrameException;
import org.amo.interceptors.CapturedReply;

/**
 * Reads the replies of a replica's servant. A replica writes the bytes of a reply into its history, since it does not
 * know the IDL; this program knows the bank's.
 */
final class BankReplies {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private BankReplies() {}

    /** The value as clients write it; empty when it is no reply of that operation. */
    static Optional<JsonNode> decode(String operation, String hex) {
        try {
            CapturedReply reply = CapturedReply.decode(HexFormat.of().parseHex(hex));
            return reply.kind() == CapturedReply.Kind.NORMAL
                    ? value(operation, ByteBuffer.wrap(reply.body()))
                    : Optional.empty();
        } catch (IllegalArgumentException | MalformedFrameException | BufferUnderflowException e) {
            // Another program's reply, or the beginning of a long one.
            return Optional.empty();
        }
    }

    private static Optional<JsonNode> value(String operation, ByteBuffer body) {
        return switch (operation) {
            case "deposit" -> Optional.of(JSON.numberNode(body.getLong()));
            case "transfer" -> Optional.of(JSON.booleanNode(body.get() != 0));
            case "balances" -> Optional.of(balances(body));
            default -> Optional.empty();
        };
    }

    private static ArrayNode balances(ByteBuffer body) {
        ArrayNode list = JSON.arrayNode();
        for (int i = body.getInt(); i > 0; i--) {
            align(body, 4);
            byte[] name = new byte[Math.max(1, Math.min(body.getInt(), body.remaining()))];
            body.get(name);
            align(body, 8);
            list.addArray()
                    .add(new String(name, 0, name.length - 1, StandardCharsets.UTF_8))
                    .add(body.getLong());
        }
        return list;
    }

    private static void align(ByteBuffer body, int boundary) {
        body.position(Math.min(body.limit(), (body.position() + boundary - 1) & -boundary));
    }
}
