package org.amo.examples.chat;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ChatTest {
    @Test
    @Timeout(120)
    void everyLineOfEveryActorIsHeardOnce() throws Exception {
        assertTrue(Chat.run(50, 20, 0.2));
    }
}
