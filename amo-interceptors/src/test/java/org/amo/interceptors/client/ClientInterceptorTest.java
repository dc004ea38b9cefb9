package org.amo.interceptors.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import AmoClientTest.Counter;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClientInterceptorTest {
    private FakeGroup group;

    @BeforeEach
    void start() throws Exception {
        group = new FakeGroup(3);
    }

    @AfterEach
    void stop() {
        group.close();
    }

    @Test
    void everyRequestCarriesTheThreeContexts() {
        Counter counter = group.counter(group.client());
        assertEquals(5, counter.add(5));
        FakeMember.Seen seen = group.seen("add").get(0);
        assertEquals(1, seen.number());
        assertEquals(8, seen.groupVersion().orElseThrow().length);
        assertEquals(56, seen.ftRequest().orElseThrow().length);
    }

    @Test
    void aBrokenConnectionIsAnsweredByTheNextMemberUnderTheSameId() {
        Counter counter = group.counter(group.client());
        counter.add(1);
        group.member(0).proxy.replies(TcpProxy.Replies.CUT);
        counter.add(1);
        List<FakeMember.Seen> seen = group.seen("add");
        assertEquals(List.of(0, 0, 1), seen.stream().map(FakeMember.Seen::member).toList());
        assertEquals(List.of(1L, 2L, 2L), seen.stream().map(FakeMember.Seen::number).toList());
        assertTrue(seen.get(2).context().orElseThrow().finished().contains(1));
    }
}
