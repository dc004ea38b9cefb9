package org.amo.core.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.reply.RecordMemory;
import org.junit.jupiter.api.Test;

class MutantHooksTest {
    private static Optional<Replica> replica(MutantHooks interposer) {
        ReplicaEffects effects = (ReplicaEffects) Proxy.newProxyInstance(
                MutantHooksTest.class.getClassLoader(),
                new Class<?>[] {ReplicaEffects.class},
                (proxy, method, arguments) -> null);
        ReplicaOptions options =
                new ReplicaOptions("a", List.of("a"), 1, new ClientId(1, 2), GroupParameters.defaults());
        return interposer.replica(options, effects, RecordMemory.heap(0));
    }

    @Test
    void withoutAPlantItStandsAside() {
        MutantHooks none = new MutantHooks(Optional.empty());
        assertTrue(replica(none).isEmpty());
        assertTrue(none.tail().isEmpty());
    }

    @Test
    void aPlantMakesAReplicaWithThatBug() {
        MutantHooks planted = new MutantHooks(Optional.of("sack-forgets-id"));
        assertEquals(MutantReplica.class, replica(planted).orElseThrow().getClass());
        assertTrue(planted.tail().isEmpty());
    }

    @Test
    void aLogThatTrustsItsDiskIsAPlantToo() {
        MutantHooks planted = new MutantHooks(Optional.of(MutantHooks.DAMAGE_TAKEN_FOR_CRASH));
        assertTrue(replica(planted).isEmpty());
        assertTrue(planted.tail().isPresent());
    }

    @Test
    void readsThatRunTooEarlyAreAPlantToo() {
        MutantHooks planted = new MutantHooks(Optional.of(MutantHooks.READ_BEFORE_APPLY));
        assertEquals(MutantReplica.class, replica(planted).orElseThrow().getClass());
        assertTrue(planted.tail().isEmpty());
    }

    @Test
    void aPlantThatDoesNotExistIsRefusedWithThoseThatDo() {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> new MutantHooks(Optional.of("no-such-bug")));
        assertTrue(refused.getMessage().contains("sack-forgets-id"), refused.getMessage());
    }
}
