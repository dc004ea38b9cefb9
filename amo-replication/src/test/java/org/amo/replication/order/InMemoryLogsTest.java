package org.amo.replication.order;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.amo.core.order.OrderedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class InMemoryLogsTest extends OrderedLogContract {
    private InMemoryLogs group = new InMemoryLogs();

    @Override
    void newGroup() {
        group.close();
        group = new InMemoryLogs();
    }

    @AfterEach
    void closeGroup() {
        group.close();
    }

    @Override
    OrderedLog open(String id) {
        return group.member(id);
    }

    @Override
    OrderedLog.Guarantee guarantee() {
        return OrderedLog.Guarantee.UNIFORM;
    }

    @Override
    boolean startsWithMajority() {
        return true;
    }

    @Override
    boolean servesAlone() {
        return true;
    }

    @Test
    void aMemberThatWasNotYetStartedIsRejectedAtItsStart() {
        startAll();
        Recorder second = new Recorder();
        OrderedLog twin = open("a");
        twin.start(second); // the id is taken
        twin.submit(5, "x".getBytes(UTF_8));
        await().atMost(Duration.ofSeconds(10)).until(() -> second.rejected().contains(5L));
    }
}
