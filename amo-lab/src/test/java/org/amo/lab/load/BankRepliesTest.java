package org.amo.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HexFormat;
import java.util.Optional;
import org.amo.examples.bank.idl.Balance;
import org.amo.examples.bank.idl.BalancesHelper;
import org.amo.interceptors.CapturedReply;
import org.jacorb.orb.CDROutputStream;
import org.junit.jupiter.api.Test;
import org.omg.CORBA.TRANSIENT;

/** Bytes as JacORB writes them, in the frame in which a replica keeps them. */
class BankRepliesTest {

    @Test
    void eachOperationsReplyBecomesItsValue() {
        try (CDROutputStream deposit = new CDROutputStream();
                CDROutputStream transfer = new CDROutputStream();
                CDROutputStream balances = new CDROutputStream()) {
            deposit.write_longlong(1_234_567_890_123L);
            transfer.write_boolean(true);
            BalancesHelper.write(
                    balances, new Balance[] {new Balance("p", 5), new Balance("longer", 7), new Balance("", -1)});
            assertEquals("1234567890123", decoded("deposit", deposit));
            assertEquals("true", decoded("transfer", transfer));
            assertEquals("[[\"p\",5],[\"longer\",7],[\"\",-1]]", decoded("balances", balances));
        }
    }

    @Test
    void whatIsNoReplyOfTheBankIsLeftAlone() {
        String exception = hex(CapturedReply.systemException(new TRANSIENT()));
        assertEquals(Optional.empty(), BankReplies.decode("deposit", exception));
        assertEquals(Optional.empty(), BankReplies.decode("deposit", hex(CapturedReply.normal(new byte[3]))));
        assertEquals(Optional.empty(), BankReplies.decode("books", hex(CapturedReply.normal(new byte[8]))));
        assertEquals(Optional.empty(), BankReplies.decode("deposit", "no hex"));
        assertEquals(Optional.empty(), BankReplies.decode("deposit", ""));
    }

    private static String decoded(String operation, CDROutputStream stream) {
        return BankReplies.decode(operation, hex(CapturedReply.normal(stream.getBufferCopy())))
                .map(JsonNode::toString)
                .orElse("nothing");
    }

    private static String hex(CapturedReply reply) {
        return HexFormat.of().formatHex(reply.encode());
    }
}
