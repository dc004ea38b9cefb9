/** Shared by all protocols of amo. It needs the JDK alone. */
module org.amo.base {
    requires static transitive org.jspecify;

    exports org.amo.base;
    exports org.amo.base.wire;
}
