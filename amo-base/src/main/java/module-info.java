/** Shared by all protocols of amo. It needs the JDK alone. */
module org.amo.base {
    requires static transitive org.jspecify;

    // Client ids, secrets, and the refusal of nested calls.
    exports org.amo.base;
    // Readings of members and clients, for monitoring.
    exports org.amo.base.observe;
    // Readers and writers of frames.
    exports org.amo.base.wire;
}
