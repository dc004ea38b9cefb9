package org.amo.replication.order.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.amo.core.order.Member;
import org.junit.jupiter.api.Test;

/** The lines of a leader about processes and lists that do not belong to its group. */
final class StrangersTest {
    private static final List<Member> THREE = Member.parseList("a=h:1/2,b=h:3/4,c=h:5/6");
    private static final Configuration ONE = new Configuration(0, THREE.subList(0, 1));

    private final Strangers strangers = new Strangers("bank", THREE);

    @Test
    void aProcessThatIsNoMemberIsNamedOnce() {
        assertEquals(Optional.empty(), strangers.inView(List.of("a"), ONE));
        String line = strangers.inView(List.of("a", "b"), ONE).orElseThrow();
        assertTrue(line.startsWith("the channel of group bank has processes that are no members: b (the"), line);
        assertTrue(line.contains("the members are a=h:1/2)"), line);
        assertTrue(line.contains("./amo member add"), line);
        assertEquals(Optional.empty(), strangers.inView(List.of("a", "b"), ONE));
        String next = strangers.inView(List.of("b", "a", "c"), ONE).orElseThrow();
        assertTrue(next.contains("no members: c (the"), next);
    }

    @Test
    void membersThatOnlyTheSettingsNameAreNamedOnce() {
        String line = strangers.inSettings(ONE).orElseThrow();
        assertTrue(line.startsWith("--members names b, c, but the members of group bank are a=h:1/2;"), line);
        assertEquals(Optional.empty(), strangers.inSettings(ONE));
    }

    @Test
    void theGroupsOwnListAndTheOneOfBeforeARemovalAreNoStrangers() {
        Configuration three = new Configuration(0, THREE);
        assertEquals(Optional.empty(), strangers.inSettings(three));
        assertEquals(Optional.empty(), strangers.inSettings(three.without("c")));
        assertEquals(Optional.empty(), strangers.inView(List.of("a", "b", "c"), three.without("c")));
    }
}
