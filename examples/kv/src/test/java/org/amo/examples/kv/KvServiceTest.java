package org.amo.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.amo.base.ClientId;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.request.Answer;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.amo.linearizable.rocksdb.StoreOutcome;
import org.junit.jupiter.api.Test;

/** The port counts what a request takes until it is answered. */
class KvServiceTest {
    @Test
    void whatIsNoRequestIsAnsweredAsWell() {
        KvService service = new KvService();
        List<Answer> answers = new ArrayList<>();
        ReplicatedService.AnswerListener listener = answers::add;
        byte[] none = {99, 1, 2, 3};
        service.submit(
                new Request(RequestId.own(new ClientId(1, 2), 1), 1, 2, 3, false, none),
                FinishedNumbers.NONE,
                listener);
        assertEquals(
                List.of(StoreOutcome.Status.MISUSED),
                answers.stream()
                        .map(answer -> KvReply.decode(answer.reply()).status())
                        .toList());
    }
}
