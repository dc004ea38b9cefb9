package org.amo.cli.wrap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class KindsOptionTest {
    /** Members compare the text, and end if a majority has another one. */
    @Test
    void oneChoiceHasOneTextHoweverItIsWritten() {
        WrapServerCommand.Kinds option = new WrapServerCommand.Kinds();
        assertEquals("all", option.convert("defaults,time, identity,random"));
        assertEquals("all", option.convert("all"));
        assertEquals("time,random", option.convert("random,time"));
    }
}
