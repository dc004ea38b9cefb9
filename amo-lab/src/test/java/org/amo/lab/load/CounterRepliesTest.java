package org.amo.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Bytes as docs/wire/rpc.md has them; {@code OverTcpTest} and {@code CounterChaosTest} see that members write such. */
class CounterRepliesTest {
    private static final String ALL = "00" + "01" + "02" + "01" + "0161" + "01" + "0000000000000005" + "01" + "026262"
            + "01" + "ffffffffffffffff";

    @Test
    void eachOperationsReplyBecomesItsValue() {
        assertEquals("24", decoded("add", "000000000000000018"));
        assertEquals("true", decoded("move", "0001"));
        assertEquals("false", decoded("move", "0000"));
        assertEquals("[[\"a\",5],[\"bb\",-1]]", decoded("all", ALL));
    }

    @Test
    void whatIsNoWholeReplyHasNoValue() {
        for (int length = 0; length < ALL.length(); length++) {
            assertEquals("none", decoded("all", ALL.substring(0, length)));
        }
        assertEquals("none", decoded("add", "00000000000000001800"));
        assertEquals("none", decoded("add", "010361626300"));
        assertEquals("none", decoded("deposit", "000000000000000018"));
    }

    private static String decoded(String operation, String hex) {
        Optional<JsonNode> value = CounterReplies.decode(operation, hex);
        return value.map(JsonNode::toString).orElse("none");
    }
}
