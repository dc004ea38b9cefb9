package org.amo.sim.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import org.amo.base.ClientId;
import org.amo.core.replica.GroupParameters;
import org.amo.core.replica.MutantReplica;
import org.amo.core.replica.Replica;
import org.amo.core.replica.ReplicaEffects;
import org.amo.core.replica.ReplicaOptions;
import org.amo.core.reply.RecordMemory;
import org.junit.jupiter.api.Test;

class MutantInterposerTest {
    private static Optional<Replica> replica(MutantInterposer interposer) {
        ReplicaEffects effects = (ReplicaEffects) Proxy.newProxyInstance(
                MutantInterposerTest.class.getClassLoader(),
                new Class<?>[] {ReplicaEffects.class},
                (proxy, method, arguments) -> null);
        ReplicaOptions options =
                new ReplicaOptions("a", List.of("a"), 1, new ClientId(1, 2), GroupParameters.defaults());
        return interposer.replica(options, effects, RecordMemory.heap(0));
    }

    @Test
    void withoutAPlantItStandsAside() {
        MutantInterposer none = new MutantInterposer(Optional.empty());
        assertTrue(replica(none).isEmpty());
        assertTrue(none.tail().isEmpty());
    }

    @Test
    void aPlantMakesAReplicaWithThatBug() {
        MutantInterposer planted = new MutantInterposer(Optional.of("sack-forgets-id"));
        assertEquals(MutantReplica.class, replica(planted).orElseThrow().getClass());
        assertTrue(planted.tail().isEmpty());
    }

    @Test
    void aLogThatTrustsItsDiskIsAPlantToo() {
        MutantInterposer planted = new MutantInterposer(Optional.of(MutantInterposer.DAMAGE_TAKEN_FOR_CRASH));
        assertTrue(replica(planted).isEmpty());
        assertTrue(planted.tail().isPresent());
    }

    @Test
    void aPlantThatDoesNotExistIsRefusedWithThoseThatDo() {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> new MutantInterposer(Optional.of("no-such-bug")));
        assertTrue(refused.getMessage().contains("sack-forgets-id"), refused.getMessage());
    }
}
