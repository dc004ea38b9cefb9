package org.amo.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Attacks on one group do not meet each other's accounts and clients. */
class TargetTest {
    private static Target target(String attack) {
        return new Target(attack, Service.BANK, List.of(), Path.of("reference"), Path.of("secret"), 7);
    }

    @Test
    void noTwoAttacksHaveAnAccountOrAClientIdInCommon() {
        Set<String> accounts = new HashSet<>();
        Set<Long> ids = new HashSet<>();
        for (Attack attack : Attacks.all()) {
            Target target = target(attack.name());
            assertTrue(accounts.add(target.account()), attack.name());
            assertTrue(accounts.add(target.account("other")), attack.name());
            assertTrue(ids.add(target.random().nextLong()), attack.name());
        }
    }

    @Test
    void theSameSeedGivesAnAttackTheSameNumbers() {
        assertEquals(target("x").random().nextLong(), target("x").random().nextLong());
    }
}
