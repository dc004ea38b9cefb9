package ${package};

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.amo.replication.service.EmbeddedGroup;
import org.amo.testkit.junit.AmoCluster;
import org.junit.jupiter.api.Test;

/** The service at three members in this process. After the test they must agree, or it fails. */
@AmoCluster(type = Counters.class, service = CountersInMemory.class)
final class CountersTest {

    @Test
    void countsOnWhenAMemberCrashes(Counters counters, EmbeddedGroup group) {
        assertEquals(1, counters.add("apples", 1));
        group.crash("a");
        assertEquals(3, counters.add("apples", 2));
        group.restart("a");
        assertEquals(Map.of("apples", 3L), counters.all());
    }
}
