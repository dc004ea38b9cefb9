package org.amo.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class BootTest {
    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void isTheSameUntilTheMachineStartsAgain() {
        assertEquals(Boot.id(), Boot.id());
        assertNotEquals(0, Boot.id());
    }
}
