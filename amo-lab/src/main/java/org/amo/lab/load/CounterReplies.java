package org.amo.lab.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.HexFormat;
import java.util.Optional;
import org.amo.base.wire.MalformedFrameException;
import org.amo.base.wire.WireReader;

/** Reads the counters' replies from the bytes that a replica writes into its history; docs/wire/rpc.md has their form. */
final class CounterReplies {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final int REPLY = 0;
    private static final int MOST_NAME_BYTES = 1_024;

    private CounterReplies() {}

    /** The value as clients write it; empty when it is no whole reply of that operation. */
    static Optional<JsonNode> decode(String operation, String hex) {
        try {
            WireReader reader = new WireReader("reply", HexFormat.of().parseHex(hex));
            if (reader.u8("kind") != REPLY) {
                return Optional.empty();
            }
            Optional<JsonNode> value = value(operation, reader);
            reader.end();
            return value;
        } catch (IllegalArgumentException | MalformedFrameException e) {
            // Another program's reply, or the beginning of a long one.
            return Optional.empty();
        }
    }

    private static Optional<JsonNode> value(String operation, WireReader reader) {
        return switch (operation) {
            case "add" -> Optional.of(JSON.numberNode(reader.i64("amount")));
            case "move" -> Optional.of(JSON.booleanNode(reader.flag("moved")));
            case "all" -> Optional.of(all(reader));
            default -> Optional.empty();
        };
    }

    private static ArrayNode all(WireReader reader) {
        ArrayNode list = JSON.arrayNode();
        present(reader);
        for (long i = reader.varint("count", 0, reader.remaining()); i > 0; i--) {
            present(reader);
            String name = reader.text("name", MOST_NAME_BYTES);
            present(reader);
            list.addArray().add(name).add(reader.i64("amount"));
        }
        return list;
    }

    /** A byte before each value that could be null; the counters have none. */
    private static void present(WireReader reader) {
        if (!reader.flag("present")) {
            throw reader.malformed("present", 0);
        }
    }
}
