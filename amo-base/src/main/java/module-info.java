/** Shared by all protocols of amo. It needs the JDK alone. */
module org.amo.base {
    requires static transitive org.jspecify;

    // Client ids, secrets, and the refusal of nested calls.
    exports org.amo.base;
    // Readers and writers of frames.
    exports org.amo.base.wire;
}
